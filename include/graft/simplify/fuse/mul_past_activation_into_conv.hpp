#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Mul(Relu(f(x, w, b?)), c), in either order, or Div(Relu(f(x, w, b?)), c)      f: Conv or Gemm
// After:   Relu(f(x, w', b'?))             by the rule mul_past_relu_into_conv
//
// Before:  the same of Clip(f(x, w, b?), l, h)
// After:   Clip(f(x, w', b'?), l', h')     by the rule mul_past_clip_into_conv     l' = l * c, h' = h * c      or / c
//
// w', b' and c are as mul_into_conv has them, and c is positive. For Clip all are f32 or f16, c is one value, and l and
// h are constant. A HardSigmoid that is spelt as Clip and Div becomes a Clip.

namespace graft::inline v1 {

extern const RuleView mul_past_clip_into_conv;
extern const RuleView mul_past_relu_into_conv;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/mul_past_activation_into_conv.ipp>
#endif
