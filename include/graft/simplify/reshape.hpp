#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  Reshape(f(x), shape)          f: Reshape, Flatten, Squeeze or Unsqueeze
// After:   Reshape(x, shape)
//
// shape is constant. A 0 in it copies an extent of f(x), unless allowzero is 1. x may have another extent there, so the
// rule replaces the 0 by the known extent, or by -1 if all other extents are known. f may have other readers.
extern const RuleView reshape_reshape;
extern const RuleView reshape_reshape_copying;

// Before:  Reshape(x, target)     target: Concat of extents of x and of numbers, or the like
// After:   Reshape(x, c)          c is constant: 0 where the target has the extent of x at that place, -1 for one
//                                unknown element
//
// Shape inference knows the number of elements of the target. All elements except one are numbers, or the symbol of the
// extent of x at their place. The exception becomes -1, or is -1 already. Then, as with any -1, the rule assumes that
// the copied extents are not 0: a runtime cannot infer -1 for an empty batch. So the shapes that exporters write for
// attention, [batch, sequence, heads, size] with two symbols, become constant.
//
// allowzero = 1 gives 0 its literal meaning. The rule removes it if c copies an extent; then no element may be the
// number 0. No element may be the number 0 beside a -1, either.
extern const RuleView known_reshape_target;

// Before:  Expand(x, target)
// After:   Expand(x, c)           1 where the target has the extent that x has there
//
// All other elements are known numbers.
extern const RuleView known_expand_target;

}  // namespace graft::inline v1
