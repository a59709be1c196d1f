#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  DequantizeLinear(QuantizeLinear(x, s, z), s, z)
// After:   Clip(x, (lowest - z) * s, (highest - z) * s)     lowest, highest: of the dtype of z
//
// Both sides have the same constant q-params for the whole tensor: one positive, finite scale, and one zero point of an
// integer dtype of at most 16 bits (absent: 0, u8 or output_dtype). x has the dtype of the result. Bounds are scalars
// of that dtype since opset 11, attributes before. The quantized tensor stays if it has other readers.
//
// Values change: they are no longer rounded to steps of the scale, but stay within the range.
extern const RuleView qdq_to_clip;

/// Applies the rule everywhere, bodies included, and infers types first. Removes the import of com.microsoft if nothing
/// uses it then.
Pass qdq_to_clips();

}  // namespace graft::inline v1
