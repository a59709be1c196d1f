#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  MatMul(Softmax(Tanh(MatMul(q, Transpose(k)) * scale) * cap + mask), v)
// After:   com.microsoft::GroupQueryAttention(q, k, v, , , lengths, total) {num_heads, kv_num_heads, scale, softcap}
//          Attention(q, k, v, mask) {scale, softcap}         of the main domain, since opset 23
//
// Scores are capped before they are masked, as in Gemma 2. The cap is positive. For the rest, q, k, v and the mask are
// as for `attention`, but that nothing reshapes scores.
//
// GroupQueryAttention: the mask is known to hide the keys behind each query and nothing else, and there are as many
// keys as queries, or new keys behind a cache. It then does not matter that ONNX Runtime's kernel caps the sum of
// scores and bias up to release 1.27. The main domain's operator does as the standard says since onnx 1.23, as ONNX
// Runtime's kernel does since 1.28.

namespace graft::inline v1 {

extern const RuleView capped_attention;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/capped_attention.ipp>
#endif
