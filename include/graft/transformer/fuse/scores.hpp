#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// subtracted_mask
// Before:  MatMul(Softmax(scores - mask), v)
// After:   MatMul(Softmax(scores + Neg(mask)), v)
//
// scaled_score_bias
// Before:  MatMul(Softmax((MatMul(q, k) + bias) * scale + mask), v)
//          or / scale, or with Where for the mask, or without
// After:   MatMul(Softmax(MatMul(q, k) * scale + bias * scale + mask), v)
//
// hidden_then_masked
// Before:  MatMul(Softmax(Where(shown, scores, low) + mask), v)
//          or Where(hidden, low, scores)
// After:   MatMul(Softmax(scores + (Where(shown, -0, low) + mask)), v)
//
// low is a constant of one element that absorbs any score, as the lowest float does: -1e30 or less, in f16 -infinity.
//
// scores are a MatMul, maybe with a bias and a scale, in either order, which nothing else reads. Nor does anything but
// the MatMul with v read the Softmax: elsewhere the forms would cost a node each, and serve nothing. The scale is a
// constant of one element that makes nothing larger, so that no bias becomes infinite. Values change by rounding.
// Attention takes what is added last, unscaled, and all of it in one sum: XLNet subtracts its mask, and scales products
// and positions together; GPT-2 hides what is behind a query before it adds the mask of the padding.
extern const RuleView subtracted_mask;
extern const RuleView scaled_score_bias;
extern const RuleView hidden_then_masked;

// Before:  Softmax(Reshape(Add(Reshape(scores), mask)))      in either order
// After:   Softmax(Add(scores, Reshape(Expand(mask))))
//
// scores [windows, heads, steps, keys] are a MatMul, which may be multiplied by constants of one element and added to.
// The first Reshape takes images and their k windows apart, [images, k, heads, steps, keys], the second one puts them
// together again. mask is [1, k, 1 or heads, steps, keys], and is repeated for the images. All extents are known but
// the number of windows. This is how the shifted windows of Swin are masked (Liu et al., "Swin Transformer", 2021):
// attention then has a mask as others have.
extern const RuleView masked_windows;

// Before:  Attention(q, k, v, mask)                                  of the main domain
// After:   Attention(q, k, v, Expand(mask, [1, 1, steps, keys]))
//
// The standard lets a mask broadcast. Kernels, ONNX Runtime's among them, want it to have a row for each query. So a
// mask of rank 2 to 4 with one row, such as [batch, 1, 1, keys], gets as many as there are queries, and one of a single
// key, which opset 23 lets broadcast, as many as there are keys. Queries, keys and values are of rank 4. Attentions of
// one mask, with as many queries and keys, share what is expanded.
//
// The keys of a cache count. In opset 24, a mask may have fewer keys than there are: then the operator itself fills it,
// and it is left alone.
extern const RuleView expand_attention_mask;

/// The pass that does this everywhere. Types are inferred first.
Pass expand_attention_masks();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/scores.ipp>
#endif
