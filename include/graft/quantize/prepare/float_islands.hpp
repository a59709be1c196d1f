#pragma once
#include <graft/quantize/kernel/target.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that rewrites operators that would stay in float between quantized ones, or are slow there, into operators
/// that the target computes in integers or fuses. Values stay the same except for rounding. Run it after simplify() and
/// before calibrate().
Pass float_islands(const Target& target);

}  // namespace graft::inline v1
