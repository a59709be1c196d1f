#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Attention(q, k, v, mask?, past_key?, past_value?)                    of the main domain, since opset 23
//          com.microsoft::Attention(x, weight, bias?, mask?, past?, attention_bias?)
//          com.microsoft::MultiHeadAttention(q, k, v, bias?, mask?, attention_bias?, past_key?, past_value?)
//          com.microsoft::GroupQueryAttention(q, k?, v?, past_key?, past_value?, lengths, total, cosines?, sines?,
//                                             positions?, attention_bias?)
// After:   MatMul(Softmax(MatMul(q, Transpose(k)) * scale + mask), v)
//
// Projections and caches are taken apart, too: projections become MatMul and Split, caches Concat, heads that serve
// several queries Expand, rotary embeddings their own primitives. Keys of GroupQueryAttention are gathered from the
// past and the new ones, as the lengths of the batches say. In f16 the scale is shared by q and k, so that their
// product stays finite.
//
// Scores are capped before they are masked, as in onnx 1.23 and, since 1.28, in ONNX Runtime. Hidden keys get -infinity
// as their score. But a mask of the main domain may hide all keys of a row, for which that operator gives 0, as onnx
// 1.23 has corrected it. Keys that a bool mask hides get the lowest number, and the result is multiplied by 0. Where a
// float mask is -infinity in all of a row, 0 is chosen, unless it is known not to be. In the operators of com.microsoft
// keys behind a query get the lowest number, as in ONNX Runtime's kernels: a row that hides all keys weighs them alike.
// Those of GroupQueryAttention get -infinity.
//
// The dtype and the numbers of heads are known, and the size of the heads unless the scale is given. Opset 13 or later.
// Not covered, and left with the reason: a scores output; in the main domain, the lengths and short masks of opset 24,
// and the windows of opset 25; masks that give starts of batches; packed inputs of MultiHeadAttention; head sinks,
// smooth softmax and quantized caches.
extern const RuleView decompose_attention;
extern const RuleView decompose_contrib_attention;
extern const RuleView decompose_multi_head_attention;
extern const RuleView decompose_group_query_attention;

/// The pass that does this everywhere, in bodies too. Types are inferred first. An import of com.microsoft that nothing
/// uses any more goes.
Pass decompose_attentions();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/attention.ipp>
#endif
