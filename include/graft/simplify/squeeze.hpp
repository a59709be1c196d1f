#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Squeeze(Squeeze(x, p), q)     axes as an attribute (before opset 13) or a constant input
// After:   Squeeze(x, r)                 r: p, and the axes of x that q means
//
// Before:  Squeeze(Squeeze(x, p?))       the outer one takes all axes of extent 1
// After:   Squeeze(x)
//
// The inner Squeeze may have other users. An empty list of axes is declined: runtimes disagree about it.
extern const RuleView squeeze_squeeze;
extern const RuleView squeeze_squeeze_all;

// Before:  Unsqueeze(Unsqueeze(x, p), q)   axes as an attribute (before opset 13) or a constant input
// After:   Unsqueeze(x, r)                 r: q, and where the axes p come to lie
//
// The inner Unsqueeze may have other users.
extern const RuleView unsqueeze_unsqueeze;

// Before:  Squeeze(Unsqueeze(x, p), q), Unsqueeze(Squeeze(x, p), q)
// After:   x
//
// p and q are the same axes in whatever order; as an attribute before opset 13, as a constant input from then on. The
// inner node may have other users.
extern const RuleView squeeze_unsqueeze;
extern const RuleView unsqueeze_squeeze;

// Before:  Squeeze(Reshape(x, shape), axes), Unsqueeze(Reshape(x, shape), axes)
// After:   Reshape(x, shape')        shape' is shape without the extents at axes, or with ones there
//
// shape and axes are constant. A 0 in shape that copies an extent of x has to stay where it is. Other extents are free.
//
// Before:  f(g(x))                   f: Flatten, Squeeze or Unsqueeze; g: Reshape, Flatten, Squeeze or Unsqueeze
// After:   Reshape(x, shape)         by the rule known_reshaping
//
// shape is that of the result: every extent is known and not 0, but for one, which is -1. Of a Flatten it suffices to
// know the extents in front of the axis, or those from there on. g may have other readers in all of these.
extern const RuleView known_reshaping;
extern const RuleView squeeze_reshape;
extern const RuleView unsqueeze_reshape;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/squeeze.ipp>
#endif
