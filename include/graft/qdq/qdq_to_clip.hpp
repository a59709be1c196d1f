#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  DequantizeLinear(QuantizeLinear(x, s, z), s, z)
// After:   Clip(x, (lowest - z) * s, (highest - z) * s)     lowest, highest: of the dtype of z
//
// The q-params are constant, the same on both sides, and of the whole tensor: one positive, finite scale and one zero
// point of an integer dtype of at most 16 bits (absent: 0, u8 or output_dtype). x has the dtype of the result. Bounds
// are scalars of that dtype, from opset 11 on, and attributes before. Other users of the quantized tensor keep it.
//
// Values change: they are no more rounded to steps of scale, but stay within the range.

namespace graft::inline v1 {

extern const RuleView qdq_to_clip;

/// The pass that does this everywhere, in bodies too. Types are inferred first. An import of com.microsoft that nothing
/// uses any more goes.
Pass qdq_to_clips();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/qdq/qdq_to_clip.ipp>
#endif
