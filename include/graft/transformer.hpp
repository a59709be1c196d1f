#pragma once
#include <graft/transformer/fused_operators.hpp>
