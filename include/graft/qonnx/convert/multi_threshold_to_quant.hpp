#pragma once
#include <string_view>

#include <graft/rewrite/pass.hpp>

// Before:  MultiThreshold(x, thresholds) {out_scale, out_bias}
//     or   Mul(MultiThreshold(x, thresholds) {out_scale=1, out_bias}, s)
// After:   Quant(x, s, z, bits)
//     or   BipolarQuant(x, s)
//
// - The thresholds are constant, and to the last bit those of such a Quant: that with the integers that as many bits
//   have, narrow or not, signed or not, and a rounding mode. The first that fits is taken, one with a zero point of 0
//   before others, and ROUND before other modes.
// - s is constant: out_scale (half of it for BipolarQuant), or what the only reader multiplies by, one or one for each
//   channel of data_layout. Then the rank of x is known.
// - What MultiThreshold makes is what the Quant does for each count of thresholds. Values stay, except for NaN.
//
// With `any_ties`, thresholds that are (i - 1/2 - z) * s for each integer i above the lowest, as FINN computes them, or
// the two floats next to these, become a Quant of ROUND, too. At a threshold itself, and next to it, the result may
// then be a step lower.

namespace graft::inline v1::qonnx {

/// The code of what is refused without any_ties alone.
inline constexpr std::string_view thresholds_are_ties = "thresholds_are_ties";

struct MultiThresholdToQuantOptions {
  /// Each node that is converted so is noted in the report.
  bool any_ties = false;
};

/// The pass that does this everywhere, in bodies too. A MultiThreshold that stays reports why.
Pass multi_threshold_to_quant(const MultiThresholdToQuantOptions& options = {});

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/multi_threshold_to_quant.ipp>
#endif
