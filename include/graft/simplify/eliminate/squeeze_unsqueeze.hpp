#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Squeeze(Unsqueeze(x, p), q), Unsqueeze(Squeeze(x, p), q)
// After:   x
//
// p and q are the same axes in whatever order; as an attribute before opset 13, as a constant input from then on. The
// inner node may have other users.

namespace graft::inline v1 {

extern const RuleView squeeze_unsqueeze;
extern const RuleView unsqueeze_squeeze;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/squeeze_unsqueeze.ipp>
#endif
