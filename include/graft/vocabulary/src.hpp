#pragma once
// The bodies of vocabulary/, for header-only use and for one unit of a compiled library.
#include <graft/rewrite.hpp>

#include <graft/vocabulary/non_negative.ipp>
