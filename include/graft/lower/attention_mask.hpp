#pragma once
#include <string>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  com.microsoft::GroupQueryAttention(..., lengths, total, ...)
// After:   com.microsoft::GroupQueryAttention(..., past_seq_len, total_seq_len, ...)
//
// lengths and total are both computed of attention_mask.
//
// past_seq_len: i32[batch,1] and total_seq_len: i32[] are new inputs of the graph, in the place of attention_mask,
// [batch, ...], which goes with all that only computed the two. Every GroupQueryAttention of the main graph reads the
// same two values; nothing else reads what is computed of the mask; and no value has the new names yet. The signature
// changes: callers give what the mask said, the length of each sequence less 1, and the greatest length.

/// The pass that does this. A graph that does not fit is left as it is, with a refusal that says why.
Pass attention_masks_to_sequence_lengths(std::string mask = "attention_mask");

// Before:  Add(scores, [0, -3.4e38])
// After:   Add(scores, [0, -10000])
//
// Every element below the threshold, -inf too, of an f32 initializer, Constant or ConstantOfShape becomes the
// replacement, if nodes read it that are all of Add, Mul, Expand, Where and Shape, in bodies too. Initializers that
// callers may override stay, and what is a graph output. Values change: that is the purpose. Shapes stay.

/// The pass that does this everywhere: the lowest floats, by which masks say "not", do not quantize. Throws Error for a
/// threshold or replacement that is not a number.
Pass replace_attention_mask_values(float threshold = -3e30F, float replacement = -1e4F);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/attention_mask.ipp>
#endif
