#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Concat(left..., Concat(middle...), right...)
// After:   Concat(left..., middle..., right...)
//
// Both along the same axis, however it is counted. Nothing else reads the inner Concat; the outer one may at several
// places, which go one after the other.

namespace graft::inline v1 {

extern const RuleView concat_concat;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/concat_concat.ipp>
#endif
