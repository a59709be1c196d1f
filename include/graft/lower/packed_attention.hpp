#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  custom::PackedAttention(query, key, value, cumulative_lengths) {num_heads, scale}
// After:   com.microsoft::PackedMultiHeadAttention over query, key and value [length, heads * size], with the offsets
//          that its tokens would have in a batch of padded sequences
//
// As for packed_attention_to_loop, with a batch of 1. ONNX Runtime has the operator for CUDA only. Values stay.
extern const RuleView packed_attention_to_packed_mha;

/// The pass that does this everywhere, in bodies too. Types are inferred first; the import of an unused domain goes.
Pass packed_attentions_to_packed_mhas();

// Before:  custom::PackedAttention(query, key, value, cumulative_lengths) {num_heads, scale}
// After:   a Loop over the sequences, which slices query, key and value, and joins what
//          com.microsoft::MultiHeadAttention makes of each
//
// PackedAttention is what exporters write for encoders of images of many sizes: sequences that stand side by side in
// one, of which no element sees those of another. query, key and value are [batch, heads, length, size], of a float
// dtype that is known; sequence i is the elements from cumulative_lengths[i] to cumulative_lengths[i + 1], int32 or
// int64. The result is [batch, length, heads, size]. Needs opset 13. Values stay. ONNX Runtime 1.24 divides by the
// length of a sequence, so none may be empty.
extern const RuleView packed_attention_to_loop;

/// The pass that does this everywhere, in bodies too. Types are inferred first; the import of an unused domain goes.
Pass packed_attentions_to_loops();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/packed_attention.ipp>
#endif
