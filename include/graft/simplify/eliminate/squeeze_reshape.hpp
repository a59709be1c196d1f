#pragma once
#include <graft/rewrite/rule_view.hpp>

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

namespace graft::inline v1 {

extern const RuleView known_reshaping;
extern const RuleView squeeze_reshape;
extern const RuleView unsqueeze_reshape;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/squeeze_reshape.ipp>
#endif
