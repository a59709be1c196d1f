#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  custom::PackedAttention(query, key, value, cumulative_lengths) {num_heads, scale}
// After:   com.microsoft::PackedMultiHeadAttention over query, key and value [length, heads * size], with the offsets
//          that its tokens would have in a batch of padded sequences
//
// The conditions are those of packed_attention_to_loop, and the batch is 1. ONNX Runtime has the operator for CUDA
// only. Values stay.
extern const RuleView packed_attention_to_packed_mha;

/// Applies the rule everywhere, bodies included. Infers types first, and removes the import of an unused domain.
Pass packed_attentions_to_packed_mhas();

// Before:  custom::PackedAttention(query, key, value, cumulative_lengths) {num_heads, scale}
// After:   a Loop over the sequences, which slices query, key and value, applies com.microsoft::MultiHeadAttention to
//          each slice, and joins the results
//
// Exporters write PackedAttention for encoders of images of many sizes. It packs sequences into one, and no element
// sees those of another sequence. query, key and value are [batch, heads, length, size], of a known float dtype.
// Sequence i has the elements from cumulative_lengths[i] to cumulative_lengths[i + 1], int32 or int64. The result is
// [batch, length, heads, size]. Opset 13 or later. Values stay. No sequence may be empty, because ONNX Runtime 1.24
// divides by its length.
extern const RuleView packed_attention_to_loop;

/// Applies the rule everywhere, bodies included. Infers types first, and removes the import of an unused domain.
Pass packed_attentions_to_loops();

}  // namespace graft::inline v1
