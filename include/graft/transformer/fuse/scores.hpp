#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  MatMul(Softmax(scores - mask), v)
// After:   MatMul(Softmax(scores + Neg(mask)), v)
//
// scores are a MatMul without other readers, with an optional bias and scale, in either order. The MatMul with v is the
// only reader of the Softmax: without it the form would cost a node and not help. Attention adds a mask; XLNet
// subtracts it.
extern const RuleView subtracted_mask;

// Before:  MatMul(Softmax((MatMul(q, k) + bias) * scale + mask), v)
//          or / scale, or with Where for the mask, or without
// After:   MatMul(Softmax(MatMul(q, k) * scale + bias * scale + mask), v)
//
// The conditions are those of subtracted_mask. The scale is a constant of one element that enlarges nothing, so that no
// bias becomes infinite. Values change by rounding. Attention adds an unscaled bias after the scale; XLNet scales
// products and positions together.
extern const RuleView scaled_score_bias;

// Before:  MatMul(Softmax(Where(shown, scores, low) + mask), v)
//          or Where(hidden, low, scores)
// After:   MatMul(Softmax(scores + (Where(shown, -0, low) + mask)), v)
//
// The conditions are those of subtracted_mask. low is a constant of one element that absorbs any score, as the lowest
// float does: -1e30 or less, in f16 -infinity. Attention adds one sum; GPT-2 hides the keys after a query before it
// adds the mask of the padding.
extern const RuleView hidden_then_masked;

// Before:  Softmax(Reshape(Add(Reshape(scores), mask)))      in either order
// After:   Softmax(Add(scores, Reshape(Expand(mask))))
//
// scores [windows, heads, steps, keys] are a MatMul, which may be multiplied by constants of one element and added to.
// The first Reshape splits images and their k windows, [images, k, heads, steps, keys]; the second one joins them
// again. mask is [1, k, 1 or heads, steps, keys], and is repeated for the images. All extents except the number of
// windows are known. Swin masks shifted windows in this way (Liu et al., "Swin Transformer", 2021). Then attention has
// an ordinary mask.
extern const RuleView masked_windows;

// Before:  Attention(q, k, v, mask)                                  of the main domain
// After:   Attention(q, k, v, Expand(mask, [1, 1, steps, keys]))
//
// The standard lets a mask broadcast. Kernels, such as ONNX Runtime's, require a row for each query. So a mask of rank
// 2 to 4 with one row, such as [batch, 1, 1, keys], gets one row for each query. A mask of a single key, which opset 23
// lets broadcast, gets as many as there are keys. Queries, keys and values have rank 4. Attentions with one mask and
// equal numbers of queries and keys share the expanded mask.
//
// Keys include those of a cache. In opset 24, a mask may have fewer keys than there are: the operator fills it, and the
// rule leaves it alone.
extern const RuleView expand_attention_mask;

/// Applies the rule everywhere, and infers types first.
Pass expand_attention_masks();

}  // namespace graft::inline v1
