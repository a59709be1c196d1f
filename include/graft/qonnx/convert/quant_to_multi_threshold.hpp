#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Quant(Relu(x), s, z, bits)
//     or   DequantizeLinear(Clip(QuantizeLinear(Relu(x), s, z), ...), s, z)
// After:   Mul(MultiThreshold(x, thresholds) {out_bias=lowest - z}, s)
//
// A threshold is the smallest float32 for which the Quant gives an integer or a greater one, by its own arithmetic: a
// true division, and any of the rounding modes. So both agree on every number, including ties and infinities; for NaN,
// MultiThreshold gives the lowest integer. MultiThreshold outputs integers, of the type in out_dtype; if s is 1 there
// is not a Mul.
//
// - In front may be a row of Relu and Clip with constant bounds. A node of it is removed if it has no other readers.
// - x is not constant: weights keep their Quant.
// - Parameters are constant. Scales are positive, one or one for each channel on axis 1 or the last axis; x then
//   has a known rank. Zero point and bit width are one, the width at most 16. A signed Quant of one bit is bipolar: -1
//   and 1. BipolarQuant is converted too, and so is a DequantizeLinear behind its QuantizeLinear, which adds the zero
//   point to the rounded integer.
// - x is not known to have fewer than two dims, which MultiThreshold needs.

namespace graft::inline v1::qonnx {

/// The pass that does this everywhere, in bodies too. A skipped quantizer reports the reason.
Pass quant_to_multi_threshold();

}  // namespace graft::inline v1::qonnx
