#pragma once
#include <graft/quantize.hpp>

/// A rule of the project's own and two of graft's, a pass of its own, and the passes of graft that quantize.
graft::Pass quantize(const graft::Ranges& ranges, const graft::Target& target);
