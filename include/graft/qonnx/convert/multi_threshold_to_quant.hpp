#pragma once
#include <string_view>

#include <graft/rewrite/pass.hpp>

// Before:  MultiThreshold(x, thresholds) {out_scale, out_bias}
//     or   Mul(MultiThreshold(x, thresholds) {out_scale=1, out_bias}, s)
// After:   Quant(x, s, z, bits)
//     or   BipolarQuant(x, s)
//
// - The thresholds are constant, and equal to the last bit those of such a Quant: with the same number of integers,
//   narrow or not, signed or not, and some rounding mode. The first Quant that fits is used; a zero point of 0 is tried
//   before others, and ROUND before other modes.
// - s is constant: out_scale (half of it for BipolarQuant), or the factor of the only reader, a Mul; one number, or one
//   for each channel of data_layout. In the second case the rank of x is known.
// - MultiThreshold and the Quant have the same output for each count of thresholds. Values stay the same, except for
//   NaN.
//
// With `any_ties`, thresholds of the form (i - 1/2 - z) * s for each integer i above the lowest, as FINN computes them,
// or the two floats next to these, become a Quant of ROUND too. At a threshold and next to it, the result may then be
// one step lower.

namespace graft::inline v1::qonnx {

/// The code of refusals that any_ties would convert.
inline constexpr std::string_view thresholds_are_ties = "thresholds_are_ties";

struct MultiThresholdToQuantOptions {
  /// Notes each node that is converted in this way.
  bool any_ties = false;
};

/// The pass that does this everywhere, in bodies too. Skipped MultiThresholds report the reason.
Pass multi_threshold_to_quant(const MultiThresholdToQuantOptions& options = {});

}  // namespace graft::inline v1::qonnx
