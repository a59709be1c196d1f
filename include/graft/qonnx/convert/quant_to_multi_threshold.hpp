#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Quant(Relu(x), s, z, bits)
//     or   DequantizeLinear(Clip(QuantizeLinear(Relu(x), s, z), ...), s, z)
// After:   Mul(MultiThreshold(x, thresholds) {out_bias=lowest - z}, s)
//
// A threshold is the smallest float32 of which the Quant makes an integer or a greater one, by its own arithmetic: a
// true division, and any of the rounding modes. So both agree on every number, ties and infinities among them; of NaN
// MultiThreshold makes the lowest one. MultiThreshold makes integers, of the type that out_dtype says; where s is 1
// there is no Mul.
//
// - Relu, Clip with constant bounds, a row of them, or nothing stands in front, and goes where nothing else reads it.
// - x is not constant: weights keep their Quant.
// - Parameters are constant. Scales are positive, one or one for each channel, which are axis 1 or the last one; x then
//   has a known rank. Zero point and bit width are one, the width at most 16. A signed Quant of one bit is bipolar: -1
//   and 1. BipolarQuant is converted too, and a DequantizeLinear behind its QuantizeLinear, with the zero point added
//   where that adds it: to the rounded integer.
// - x is not known to have fewer than two dims, as MultiThreshold wants.

namespace graft::inline v1::qonnx {

/// The pass that does this everywhere, in bodies too. A quantizer that stays reports why.
Pass quant_to_multi_threshold();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/quant_to_multi_threshold.ipp>
#endif
