#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  Attention(q, k, v, mask?, past_key?, past_value?)                    of the main domain, since opset 23
//          com.microsoft::Attention(x, weight, bias?, mask?, past?, attention_bias?)
//          com.microsoft::MultiHeadAttention(q, k, v, bias?, mask?, attention_bias?, past_key?, past_value?)
//          com.microsoft::GroupQueryAttention(q, k?, v?, past_key?, past_value?, lengths, total, cosines?, sines?,
//                                             positions?, attention_bias?)
// After:   MatMul(Softmax(MatMul(q, Transpose(k)) * scale + mask), v)
//
// Decomposes projections and caches, too. Projections become MatMul and Split, caches Concat, heads that serve several
// queries Expand, rotary embeddings their own primitives. The keys of GroupQueryAttention are gathered from the past
// and the new ones, by the lengths of the batches. In f16, q and k are each multiplied by a part of the scale, so that
// their product stays finite.
//
// Scores are capped before they are masked, as in onnx 1.23 and in ONNX Runtime since 1.28. Hidden keys get a score of
// -infinity, with these exceptions:
// - In the main domain, a mask may hide all keys of a row. The operator then gives 0, as corrected in onnx 1.23. So
//   keys hidden by a bool mask get the lowest number, and the result of such a row is multiplied by 0. If a float mask
//   is -infinity in a whole row, the result is 0; a mask that is known to be otherwise needs no such check.
// - In com.microsoft, keys after a query get the lowest number, as in ONNX Runtime's kernels: a row with all keys
//   hidden weighs them equally. GroupQueryAttention uses -infinity.
//
// The dtype and the numbers of heads are known. The size of the heads is known, unless the scale is given. Opset 13 or
// later. The rules reject, with the reason: a scores output; in the main domain, the lengths and short masks of opset
// 24, and the windows of opset 25; masks with starts of batches; packed inputs of MultiHeadAttention; head sinks,
// smooth softmax and quantized caches.
extern const RuleView decompose_attention;
extern const RuleView decompose_contrib_attention;
extern const RuleView decompose_multi_head_attention;
extern const RuleView decompose_group_query_attention;

/// Applies these rules everywhere, bodies included, and infers types first. Removes the import of com.microsoft if
/// nothing uses it then.
Pass decompose_attentions();

}  // namespace graft::inline v1
