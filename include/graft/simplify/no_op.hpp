#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  f(x)
// After:   x
//
// where f does nothing:
//   Cast, CastLike                                  to the dtype that x has
//   Transpose                                       in the order that there is
//   Reshape, Flatten, Squeeze, Unsqueeze            x and the result have the same shape, as far as inference knows:
//   Expand, Tile                                      every extent, by its number or its symbol; or, whatever x is,
//                                                     Reshape to its extents, copied or by number, but for one of them,
//                                                     Expand to ones and extents that are there, Tile of ones
//   Split                                           one part, of a size that is not known to be another than x's; or
//                                                     the first of several, of the shape of x
//   Slice                                           the same shape, and every step is 1
//   Pad                                             by nothing, said with as many zeros as there are ends
//   Concat, Sum, Max, Min, Mean                     of one
//   Clip                                            with infinite bounds; of integers also without bounds (where there
//                                                     is no bound, ONNX makes infinities the greatest numbers)
//   Add, Sub, Or, Xor, BitwiseOr, BitwiseXor and    a constant that does not broadcast x: of rank 0, or of no higher
//     BitShift by 0; Mul, Div, Pow, And by 1          one with extents that are 1 or known to be x's; values stay but
//                                                     for the sign of zero: -0 + 0 is 0, and becomes -0
//
// Equal symbols are equal extents. Types have been inferred, or are declared: the rules infer none, and leave what has
// no dtype or no shape.
extern const RuleView remove_add_0;
extern const RuleView remove_and_true;
extern const RuleView remove_cast;
extern const RuleView remove_cast_like;
extern const RuleView remove_clip;
extern const RuleView remove_concat;
extern const RuleView remove_div_1;
extern const RuleView remove_expand;
extern const RuleView remove_flatten;
extern const RuleView remove_mul_1;
extern const RuleView remove_or_false;
extern const RuleView remove_pad;
extern const RuleView remove_reshape;
extern const RuleView remove_shift_0;
extern const RuleView remove_slice;
extern const RuleView remove_split;
extern const RuleView remove_sub_0;
extern const RuleView remove_transpose;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/no_op.ipp>
#endif
