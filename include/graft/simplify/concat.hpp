#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Concat(left..., Concat(middle...), right...)
// After:   Concat(left..., middle..., right...)
//
// Both along the same axis, however it is counted. Nothing else reads the inner Concat. The outer one may read it at
// several places, if that leaves it at most 16 operands: in a chain of Concat(h, h) they would double at each link.
extern const RuleView concat_concat;

// Before:  Concat(left..., x, right...)
// After:   Concat(left..., right...)
//
// x is known to have no elements along the axis, by its shape. All such operands go at once; one stays where all are.
// remove_concat takes away a Concat of one.
extern const RuleView concat_empty;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/concat.ipp>
#endif
