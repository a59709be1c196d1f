#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Concat(left..., x, right...)
// After:   Concat(left..., right...)
//
// x is known to have no elements along the axis, by its shape. All such operands go at once; one stays where all are.
// remove_concat takes away a Concat of one.

namespace graft::inline v1 {

extern const RuleView concat_empty;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/concat_empty.ipp>
#endif
