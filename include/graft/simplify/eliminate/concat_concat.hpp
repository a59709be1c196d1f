#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Concat(left..., Concat(middle...), right...)
// After:   Concat(left..., middle..., right...)
//
// Both along the same axis, however it is counted. Nothing else reads the inner Concat. The outer one may read it at
// several places, if that leaves it at most 16 operands: in a chain of Concat(h, h) they would double at each link.

namespace graft::inline v1 {

extern const RuleView concat_concat;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/concat_concat.ipp>
#endif
