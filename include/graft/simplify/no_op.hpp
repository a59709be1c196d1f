#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  f(x), where f changes nothing:
//            Cast, CastLike                 to the dtype of x
//            Transpose                      that keeps the order of axes
//            Reshape, Flatten, Squeeze,     x and the result have the same shape: every extent is the same number or
//              Unsqueeze, Expand, Tile      symbol. For any x: Reshape to its extents, copied or as numbers, except one
//                                           of them; Expand to ones and extents of x; Tile of ones
//            Split                          one part, of a size that is not known to differ from x's; or the first of
//                                           several, with the shape of x
//            Slice                          the same shape, and every step is 1
//            Pad                            by 0 everywhere, with one number for each start and end
//            Concat, Sum, Max, Min, Mean    of one operand
//            Clip                           with infinite bounds; of integers, also without bounds (in ONNX, an absent
//                                           bound turns infinities into the greatest numbers)
//            Add, Sub, Or, Xor, BitwiseOr,  a constant that does not broadcast x: of rank 0, or of at most x's rank
//              BitwiseXor, BitShift by 0;   with extents that are 1 or known to be x's. Values stay, except the sign of
//              Mul, Div, Pow, And by 1      zero: -0 + 0 is 0, and becomes -0
// After:   x
//
// Equal symbols are equal extents. Types are declared, or inferred before: the rules infer none, and keep nodes without
// a known dtype or shape.
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
