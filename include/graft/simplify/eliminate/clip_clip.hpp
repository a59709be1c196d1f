#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  f(g(x))             f, g: Clip or Relu
// After:   Clip(x, l, h)       l and h: the bounds of g, kept inside those of f
//          Relu(x)             if l is 0 and there is no h
//
// x is f32 or f16; bounds are constant, and the lower one of each Clip is not above the upper one.

namespace graft::inline v1 {

extern const RuleView clip_clip;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/clip_clip.ipp>
#endif
