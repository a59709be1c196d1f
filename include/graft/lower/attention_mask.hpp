#pragma once
#include <string>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  com.microsoft::GroupQueryAttention(..., lengths, total, ...)
// After:   com.microsoft::GroupQueryAttention(..., past_seq_len, total_seq_len, ...)
//
// attention_mask is the source of both lengths and total.
//
// The inputs past_seq_len: i32[batch,1] and total_seq_len: i32[] replace the input attention_mask, [batch, ...]; nodes
// that only computed lengths and total are removed. Every GroupQueryAttention of the main graph reads the same two
// values, nothing else reads values computed from the mask, and the new names are free. The signature changes. Callers
// pass the length of each sequence less 1, and the greatest length.

/// Applies the surgery above. If the graph does not meet the conditions, it stays, and a refusal gives the reason.
Pass attention_masks_to_sequence_lengths(std::string mask = "attention_mask");

// Before:  Add(scores, [0, -3.4e38])
// After:   Add(scores, [0, -10000])
//
// Replaces every element below the threshold, -inf included, of an f32 initializer, Constant or ConstantOfShape, in
// bodies too. All readers of the constant are Add, Mul, Expand, Where or Shape. Graph outputs stay, and so do
// initializers that callers may override. Values change by design, shapes stay.

/// Applies the surgery above everywhere: the lowest floats, by which masks hide elements, do not quantize. Throws Error
/// if the threshold or the replacement is NaN.
Pass replace_attention_mask_values(float threshold = -3e30F, float replacement = -1e4F);

}  // namespace graft::inline v1
