#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Reshape(Transpose(Reshape(x, [-1, C, D])) {perm=[0,2,1]}, [A, B, D, C])
// After:   Transpose(x) {perm=[0,1,3,2]}
//
// x is [A, B, C, D], A to D known or symbols. This is how some exporters transpose the keys of attention.

namespace graft::inline v1 {

extern const RuleView batched_transpose;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/batched_transpose.ipp>
#endif
