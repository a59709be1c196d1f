#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  f(g(x))             f, g: Clip or Relu
// After:   Clip(x, l, h)       l and h: the bounds of g, kept inside those of f
//          Relu(x)             if l is 0 and h is infinite
//
// x is f32 or f16. Bounds are constant, and no lower bound is above the upper bound of its Clip. A Clip without a bound
// turns infinities into the greatest number (ONNX); an infinite bound keeps them. The result does the same.
extern const RuleView clip_clip;

// Before:  Max(x, c), Min(x, c)       in either order
// After:   Relu(x)                    of Max if c is 0
//          Clip(x, c, inf), Clip(x, -inf, c)
//
// x is f32 or f16, c is a constant of one element. Opset 8 or later: earlier Max and Min do not broadcast. c is not
// NaN: Max and Min propagate it, Relu and Clip do not. (All of them propagate a NaN of x.) If c has rank 1, x has rank
// 1 or more. The other bound is infinite rather than absent: a Clip without it turns infinities into the greatest
// number (ONNX). With clip_clip, a ReLU6 that is written as Max and Min becomes one Clip.
extern const RuleView max_0_to_relu;
extern const RuleView max_to_clip;
extern const RuleView min_to_clip;

}  // namespace graft::inline v1
