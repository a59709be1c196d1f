#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Add(Expand(x, Shape(y)), y)        any operator that broadcasts all its operands, in any place: Where, Mul
// After:   Add(x, y)
//
// The extents of the target are 1, or those of the other operand: it is the Shape of that operand, or its elements are
// known to be its extents, as numbers or symbols. Opset 8 or later. Others may read the Expand.
extern const RuleView broadcast_expand;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/broadcast.ipp>
#endif
