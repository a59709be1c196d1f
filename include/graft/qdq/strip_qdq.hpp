#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  DequantizeLinear(QuantizeLinear(x, s, z), s, z)
// After:   x
//
// Both sides have the same constant q-params, in any spelling, for a tensor, an axis or blocks. x has the dtype of the
// result. The quantized tensor stays if it has other readers.
extern const RuleView strip_pair;

// Before:  DequantizeLinear(c, s, z), everything constant
// After:   a float constant
//
// Scales are for a tensor, an axis or blocks. The result has the dtype of the scale, or output_dtype. The integers and
// q-params stay if they have other readers.
extern const RuleView strip_constant;

// Before:  Mul(Cast(Gather(c, ids)), s)
// After:   Gather(floats, ids)     floats = c * s
//
// The Gather reads constant 8-bit integers along axis 0, as quantize_embeddings() makes them. The scales are constant
// float32: one, or one for each index of the last axis. The integers stay if they have other readers.
extern const RuleView strip_table;

/// Removes pairs, so that activations are no longer rounded. If keep_clip_after_inputs is true, a pair that reads a
/// graph input becomes the Clip of qdq_to_clip, if it can. Dequantized constants stay. Infers types first. Removes the
/// import of com.microsoft if nothing uses it then.
Pass remove_qdq(bool keep_clip_after_inputs = false);

/// Turns dequantized constants into float constants, and keeps pairs. Values stay. Removes imports as remove_qdq()
/// does.
Pass remove_dequantized_constants();

/// Removes quantizers. Pairs are removed; dequantized constants and tables become float32 (or the dtype of their
/// scale), so that the model can be quantized again as a float model. Activations are no longer rounded; constants stay
/// rounded. Quantizers with computed q-params stay, and so do operators on integers.
Pass strip_qdq();

}  // namespace graft::inline v1
