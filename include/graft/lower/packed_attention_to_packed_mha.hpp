#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  custom::PackedAttention(query, key, value, cumulative_lengths) {num_heads, scale}
// After:   com.microsoft::PackedMultiHeadAttention over query, key and value [length, heads * size], with the offsets
//          that its tokens would have in a batch of padded sequences
//
// As for packed_attention_to_loop, with a batch of 1. ONNX Runtime has the operator for CUDA only. Values stay.

namespace graft::inline v1 {

extern const RuleView packed_attention_to_packed_mha;

/// The pass that does this everywhere, in bodies too. Types are inferred first; the import of an unused domain goes.
Pass packed_attentions_to_packed_mhas();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/packed_attention_to_packed_mha.ipp>
#endif
