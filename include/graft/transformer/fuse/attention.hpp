#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1 {

// Before:  MatMul(Softmax(MatMul(q, Transpose(k)) * scale + mask), v)
// After:   com.microsoft::Attention(x, [wq wk wv], [bq bk bv], , , mask) {num_heads, scale, qkv_hidden_sizes}
//          com.microsoft::GroupQueryAttention(q, k, v, past_key, past_value, lengths, total) {num_heads, kv_num_heads,
//                                                                                               scale}
//          com.microsoft::MultiHeadAttention(q, k, v, , , mask, past_key, past_value) {num_heads, scale}
//          Attention(q, k, v, mask) {scale}                    of the main domain, since opset 23
//
// q is [batch, heads, steps, size], k and v are [batch, heads, keys, size]: heads and sizes are known, and the batches
// are the same. The scale multiplies or divides scores, q or k, or several of them, as constants of one element. It may
// be missing, as may the mask. The softmax runs over keys. k may be transposed anywhere. A Transpose and Reshape that
// join the heads of the result go with it. Main-domain Attention of rank 4, without softcap or bool mask, counts as
// such primitives, too, where the runtime has another operator. It gives 0 for a query that sees no key, others NaN: if
// its mask may be -infinity in all of a row, these rows become 0, Where(Equal(ReduceMax(mask), -infinity), 0, y); if it
// is causal as well, it stays.
//
// q, k and v may be [batch * heads, steps, size] instead, merged by a Reshape of [batch, heads, steps, size], or of
// [steps, batch, heads * size] to [steps, batch * heads, size], as in torch.nn.MultiheadAttention. Reshapes may split
// the scores for the mask and merge them again. A mask of merged heads is split; its rows are those of the scores.
//
// Parts of one projection that are stacked, [3, batch, heads, steps, size], are split in front: stacked_projections.
// Masks of windows, [1, windows, 1, steps, keys], are repeated for the images: masked_windows. Heads that a traced
// graph merges are known as such: merged_heads. A mask that is subtracted is added: score_forms. Capped scores have a
// rule of their own: capped_attention.
//
// Where(keep, scores, fill), or with its branches exchanged, is a mask if fill is below -1e30: then adding it gives it,
// whatever the score. In f16, only -infinity is such a fill.
//
// biased_attention: a bias may be added to scores before their mask, and before Reshapes that split them, as relative
// positions are. The sum of all is the mask, or Where chooses it in place of 0. A sum is not made in f16, where it may
// be infinite though the scores are not.
//
// Weights may be 0 where the softmax is NaN, as it is in rows that hide all keys: Where(IsNaN(w), 0, w). Then so is the
// result, Where(IsNaN(y), 0, y), which is the same if the values are finite. The softmax of f16 or bf16 may run in f32.
//
// The mask is handed over as it is: whatever it hides stays hidden, and rows in which it hides all keys mean the same.
// It broadcasts to the scores, and does so provably along all axes but that of the keys. Kernels broadcast its first
// two axes only, so it is expanded to [batch or 1, heads or 1, steps, keys] if need be, once for all attentions.
//
// com.microsoft's Attention: q, k and v are MatMuls of one x by constant matrices, and maybe constant biases, which
// nothing else reads. MultiHeadAttention: a cache in front of k and v, Concat(past, new), goes into it, unless the
// heads of keys are repeated after it. GroupQueryAttention: they are, and the mask is known to hide the keys behind
// each query and nothing else; there are as many new keys as queries; there is one step, or one batch, since ONNX
// Runtime's kernel refuses several of both behind a past; the size of a head is a multiple of 8, as the kernel wants
// it. These are for f32 and f16. The main domain's: heads that are repeated go in once.
//
// A cache goes in where the pasts of keys and values are known to be equally long, as are the new steps, the Concats
// are in the scope of the attention, and the mask is computed of neither of them.
//
// A rule by itself, without the pass, fuses for fused_operators::ort_cpu.
extern const RuleView attention;
extern const RuleView biased_attention;
extern const RuleView standard_attention;

/// The pass that does this for the operators that the runtime has: com.microsoft's before the main domain's,
/// and GroupQueryAttention and Attention before MultiHeadAttention. Types are inferred first, and again while
/// attentions are made: one layer's may show only by the extents of another.
Pass fuse_attention(const FusedOperators& runtime);

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
extern const RuleView capped_attention;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/attention.ipp>
#endif
