#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  f(g(x))             f, g: Clip or Relu
// After:   Clip(x, l, h)       l and h: the bounds of g, kept inside those of f
//          Relu(x)             if l is 0 and h is infinite
//
// x is f32 or f16; bounds are constant, and the lower one of each Clip is not above the upper one. Where a Clip has no
// bound, infinities become the greatest number (ONNX); an infinite bound lets them through. Both stay so.

namespace graft::inline v1 {

extern const RuleView clip_clip;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/clip_clip.ipp>
#endif
