#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  f(g(x))             f, g: Clip or Relu
// After:   Clip(x, l, h)       l and h: the bounds of g, kept inside those of f
//          Relu(x)             if l is 0 and h is infinite
//
// x is f32 or f16; bounds are constant, and the lower one of each Clip is not above the upper one. Where a Clip has no
// bound, infinities become the greatest number (ONNX); an infinite bound lets them through. Both stay so.
extern const RuleView clip_clip;

// Before:  Max(x, c), Min(x, c)       in either order
// After:   Relu(x)                    of Max if c is 0
//          Clip(x, c, inf), Clip(x, -inf, c)
//
// x is f32 or f16, c a constant of one element, since opset 8: before, Max and Min do not broadcast.
// c is a number: Max and Min hand a NaN on, of x as Relu and Clip do, of c as these do not. x is of rank 1 at least if
// c is. The other bound is infinite, and not absent: without it, Clip makes infinities the greatest number
// (ONNX). With clip_clip, one Clip is left of a ReLU6 that is spelt as Max and Min.
extern const RuleView max_0_to_relu;
extern const RuleView max_to_clip;
extern const RuleView min_to_clip;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/clip.ipp>
#endif
