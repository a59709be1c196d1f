#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Unsqueeze(Unsqueeze(x, p), q)   axes as an attribute (before opset 13) or a constant input
// After:   Unsqueeze(x, r)                 r: q, and where the axes p come to lie
//
// The inner Unsqueeze may have other users.

namespace graft::inline v1 {

extern const RuleView unsqueeze_unsqueeze;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/unsqueeze_unsqueeze.ipp>
#endif
