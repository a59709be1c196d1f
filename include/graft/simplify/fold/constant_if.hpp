#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  If(condition) {then_branch, else_branch}
// After:   the nodes of the branch that is taken
//
// The condition is a constant of one element. What the branch holds gets fresh names; its outputs take over from those
// of the If. An If in the branch whose condition is such a constant gives way to its own branch in the same step.

namespace graft::inline v1 {

extern const RuleView constant_if;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fold/constant_if.ipp>
#endif
