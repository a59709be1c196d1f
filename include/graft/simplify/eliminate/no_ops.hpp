#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  f(x)
// After:   x
//
// where f does nothing:
//   Cast, CastLike                                  to the dtype that x has
//   Transpose                                       in the order that there is
//   Reshape, Flatten, Squeeze, Unsqueeze            x and the result have the same shape, as far as inference knows:
//   Expand, Tile, Split                               every extent, by its number or its symbol
//   Slice                                           the same, and every step is 1
//   Pad                                             by nothing
//   Concat, Sum, Max, Min, Mean                     of one
//   Add, Sub of 0; Mul, Div, Pow of 1               a constant that does not broadcast x (x + 0 may turn -0 to 0)

namespace graft::inline v1 {

extern const RuleView remove_add_0;
extern const RuleView remove_cast;
extern const RuleView remove_cast_like;
extern const RuleView remove_concat;
extern const RuleView remove_div_1;
extern const RuleView remove_expand;
extern const RuleView remove_mul_1;
extern const RuleView remove_pad;
extern const RuleView remove_reshape;
extern const RuleView remove_slice;
extern const RuleView remove_split;
extern const RuleView remove_sub_0;
extern const RuleView remove_transpose;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/no_ops.ipp>
#endif
