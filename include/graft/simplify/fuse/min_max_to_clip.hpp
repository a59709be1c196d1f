#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Max(x, c), Min(x, c)       in either order
// After:   Relu(x)                    of Max if c is 0
//          Clip(x, c, inf), Clip(x, -inf, c)
//
// x is f32 or f16, c a constant of one element, since opset 8: before, Max and Min do not broadcast.
// c is a number: Max and Min hand a NaN on, of x as Relu and Clip do, of c as these do not. x is of rank 1 at least if
// c is. The other bound is infinite, and not absent: without it, Clip makes infinities the greatest number
// (ONNX). With clip_clip, one Clip is left of a ReLU6 that is spelt as Max and Min.

namespace graft::inline v1 {

extern const RuleView max_0_to_relu;
extern const RuleView max_to_clip;
extern const RuleView min_to_clip;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/min_max_to_clip.ipp>
#endif
