#pragma once
#include <string>

#include <graft/rewrite/pass.hpp>

// Before:  com.microsoft::GroupQueryAttention(..., lengths, total, ...)
// After:   com.microsoft::GroupQueryAttention(..., past_seq_len, total_seq_len, ...)
//
// lengths and total are both computed of attention_mask.
//
// past_seq_len: i32[batch,1] and total_seq_len: i32[] are new inputs of the graph, in the place of attention_mask,
// [batch, ...], which goes with all that only computed the two. Every GroupQueryAttention of the main graph reads the
// same two values; nothing else reads what is computed of the mask; and no value has the new names yet. The signature
// changes: callers give what the mask said, the length of each sequence less 1, and the greatest length.

namespace graft::inline v1 {

/// The pass that does this. A graph that does not fit is left as it is, with a refusal that says why.
Pass attention_masks_to_sequence_lengths(std::string mask = "attention_mask");

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/attention_masks_to_sequence_lengths.ipp>
#endif
