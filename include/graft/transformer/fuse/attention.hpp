#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  MatMul(Softmax(MatMul(q, Transpose(k)) * scale + mask), v)
// After:   com.microsoft::Attention(x, [wq wk wv], [bq bk bv], , , mask) {num_heads, scale, qkv_hidden_sizes}
//          com.microsoft::GroupQueryAttention(q, k, v, past_key, past_value, lengths, total) {num_heads, kv_num_heads,
//                                                                                               scale}
//          com.microsoft::MultiHeadAttention(q, k, v, , , mask, past_key, past_value) {num_heads, scale}
//          Attention(q, k, v, mask, past_key, past_value) {scale}      of the main domain, since opset 23
//
// q is [batch, heads, steps, size], k and v are [batch, heads, keys, size]. Heads and sizes are known, and the batches
// are equal. The scale multiplies or divides scores, q or k, or several of them, as constants of one element. Scale and
// mask are optional. The softmax runs over keys. k may be transposed anywhere. A Transpose and Reshape that join the
// heads of the result become part of the operator.
//
// Main-domain Attention of rank 4, without softcap, counts as primitives, too, if the runtime has another
// operator. It gives 0 for a query that sees no key, other operators give NaN. So if its mask may be -infinity in a
// whole row, Where(Equal(ReduceMax(mask), -infinity), 0, y) sets these rows to 0; if it is causal as well, it stays.
//
// q, k and v may be [batch * heads, steps, size] instead. A Reshape merges them from [batch, heads, steps, size], or
// from [steps, batch, heads * size] to [steps, batch * heads, size], as in torch.nn.MultiheadAttention. Reshapes may
// split the scores for the mask and merge them again. A mask of merged heads is split; its rows are those of the
// scores.
//
// Other rules prepare other forms:
// - stacked_projections splits parts of one projection that are stacked, [3, batch, heads, steps, size].
// - masked_windows repeats masks of windows, [1, windows, 1, steps, keys], for the images.
// - merged_heads identifies heads that a traced graph merges.
// - The rules of scores.hpp turn a subtracted mask into an added one.
// - capped_attention fuses attention with capped scores.
//
// Where(keep, scores, fill), or with its branches exchanged, is a mask if fill is below -1e30: adding such a fill gives
// the fill, for any score. In f16, only -infinity is such a fill.
//
// biased_attention: a bias, such as relative positions, may be added to scores before their mask, and before Reshapes
// that split them. The mask is the sum of all addends, or Where selects it instead of 0. In f16 the rule rejects a sum
// that may be infinite while the scores are not.
//
// Weights may be 0 where the softmax is NaN, in rows with all keys hidden: Where(IsNaN(w), 0, w). Then the result gets
// Where(IsNaN(y), 0, y), which is the same if the values are finite. The softmax of f16 or bf16 may run in f32.
//
// The operator gets the mask as it is: hidden keys stay hidden, and rows with all keys hidden keep their meaning. The
// mask provably broadcasts to the scores along all axes except that of the keys. Kernels broadcast its first two axes
// only, so it is expanded to [batch or 1, heads or 1, steps, keys] if necessary, once for all attentions.
//
// com.microsoft's Attention: q, k and v are MatMuls of one x by constant matrices, with optional constant biases; these
// constants have no other readers. MultiHeadAttention: a cache before k and v, Concat(past, new), becomes part of it.
// If the heads of keys are repeated after it, queries that share a head become further steps of it:
//
//          r = Reshape(Transpose(Reshape(q, [0, 0, groups, times, size])) {perm=[0,3,1,2,4]}, [0, -1, groups * size])
//          MultiHeadAttention(r, k, v, , , Tile(mask, [1, 1, times, 1]), past_key, past_value) {num_heads=groups}
//
// All heads have one mask then. GroupQueryAttention requires all of:
// - The heads of keys are repeated.
// - The mask is known to hide exactly the keys after each query.
// - There are as many new keys as queries.
// - There is one step or one batch: ONNX Runtime's kernel rejects several of both after a past.
// - The size of a head is a multiple of 8, as the kernel requires.
// If the table says that models only generate text, GroupQueryAttention also serves heads that are not repeated, and
// several batches of several steps. The mask hides at least the keys after each query, and becomes a bias, unless it
// hides no others.
//
// These are for f32 and f16. In the main domain's Attention, repeated heads are passed once.
//
// A cache becomes part of the operator if the pasts of keys and values are known to be equally long, and so are the new
// steps. The Concats are in the scope of the attention, and the mask does not depend on them.
//
// A rule that is applied by itself, without the pass, fuses for fused_operators::ort_cpu.
extern const RuleView attention;
extern const RuleView biased_attention;
extern const RuleView standard_attention;

/// Applies these rules for the operators of the runtime: com.microsoft's before the main domain's, GroupQueryAttention
/// and Attention before MultiHeadAttention. Infers types first, and again between attentions: the extents of one layer
/// may make the next one visible.
Pass fuse_attention(const FusedOperators& runtime);

// Before:  MatMul(Softmax(Tanh(MatMul(q, Transpose(k)) * scale) * cap + mask), v)
// After:   com.microsoft::GroupQueryAttention(q, k, v, , , lengths, total) {num_heads, kv_num_heads, scale, softcap}
//          Attention(q, k, v, mask) {scale, softcap}         of the main domain, since opset 23
//
// Scores are capped before they are masked, as in Gemma 2. The cap is positive. q, k, v and the mask are as `attention`
// requires, except that no Reshapes may be around the scores.
//
// GroupQueryAttention: the mask is known to hide exactly the keys after each query, and there are as many keys as
// queries, or new keys after a cache. So it does not matter that ONNX Runtime's kernel caps the sum of scores and bias
// up to release 1.27. The main domain's operator follows the standard since onnx 1.23, as ONNX Runtime's kernel does
// since 1.28.
extern const RuleView capped_attention;

}  // namespace graft::inline v1
