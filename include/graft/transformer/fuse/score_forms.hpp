#pragma once
#include <graft/rewrite/rule_view.hpp>

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

namespace graft::inline v1 {

extern const RuleView subtracted_mask;
extern const RuleView scaled_score_bias;
extern const RuleView hidden_then_masked;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/score_forms.ipp>
#endif
