#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Reshape(f(x), shape)          f: Reshape, Flatten, Squeeze or Unsqueeze
// After:   Reshape(x, shape)
//
// shape is constant. A 0 in it copies an extent of f(x), unless allowzero is 1; x may have another there, so such a 0
// becomes that extent where it is known, or -1 where it is the only thing that is not. f may have other users.

namespace graft::inline v1 {

extern const RuleView reshape_reshape;
extern const RuleView reshape_reshape_copying;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/reshape_reshape.ipp>
#endif
