#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Unsqueeze(f(x, axes?) {keepdims=0}, axes)        f: any Reduce operator
// After:   f(x, axes?) {keepdims=1}
//
// Before:  Unsqueeze(f(x) {axis, keepdims=0}, axis)         f: ArgMax, ArgMin
// After:   f(x) {axis, keepdims=1}
//
// Both have the same axes, in whatever order and however they are counted. Where f has none it takes all, and the rank
// of x is known. Nothing else reads what f makes.

namespace graft::inline v1 {

extern const RuleView arg_unsqueeze;
extern const RuleView reduce_unsqueeze;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/reduce_unsqueeze.ipp>
#endif
