#pragma once
// Before:  DequantizeLinear(QuantizeLinear(x, s, z), s, z)
// After:   x
//
// Before:  DequantizeLinear(c, s, z), everything constant
// After:   a float constant
//
// Before:  Mul(Cast(Gather(c, ids)), s)
// After:   Gather(floats, ids)     floats = c * s
//
// The q-params of a pair are constant and the same on both sides, however they are spelt, and x has the dtype of the
// result. Other users of the quantized tensor keep it. Scales are of a tensor, an axis or blocks. A constant is of the
// dtype of its scale, or of output_dtype; others that read the integers or the q-params keep them. Gather reads
// constant 8-bit integers along axis 0, as quantize_embeddings() makes them; their scales are constant float32, one or
// one for each index of the last axis.
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

extern const RuleView strip_constant;
extern const RuleView strip_pair;
extern const RuleView strip_table;

/// The pass that takes pairs out: activations are what they were before they were rounded. Where keep_clip_after_inputs
/// is true, a pair that reads an input of the graph leaves the Clip of qdq_to_clip instead, if it can. Dequantized
/// constants stay. Types are inferred first; an import of com.microsoft that nothing uses any more goes.
Pass remove_qdq(bool keep_clip_after_inputs = false);

/// The pass that makes float constants of dequantized ones, and leaves pairs. Values stay. Imports as by remove_qdq().
Pass remove_dequantized_constants();

/// The pass that takes quantizers out again: pairs go, dequantized constants and tables become float32 (or the dtype of
/// their scale), which quantizes again as any float model does. Values then are what they were before rounding, and
/// constants stay as they were rounded. Quantizers whose q-params are not constant stay, as do operators on integers.
Pass strip_qdq();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/qdq/strip_qdq.ipp>
#endif
