#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  Mul(MatMul(x, y), c)        in either order
// After:   MatMul(Mul(x, c), y)
//
// The product makes scores of attention: a Softmax follows, perhaps behind masks, movements and other factors. c is a
// constant of one element, x of a float dtype. Values stay, to rounding. For TensorRT, which fuses attention of
// f8e4m3fn only with the factor there.
extern const RuleView score_mul_to_query;

// Before:  Div(MatMul(x, y), c)
// After:   MatMul(Div(x, c), y)
//
// The conditions are those of score_mul_to_query.
extern const RuleView score_div_to_query;

/// Applies both rules everywhere, bodies included, and infers types first.
Pass score_factors_to_queries();

}  // namespace graft::inline v1
