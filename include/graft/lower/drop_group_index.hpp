#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  com.microsoft::MatMulNBits(a, b, scales, zero_points?, group_index, bias?)
// After:   the same without group_index
//
// group_index is constant and says what holds without it: that row k of the weight is of group k / block_size. Values
// stay. (To be sorted is not enough: groups of other sizes are sorted too.)

namespace graft::inline v1 {

extern const RuleView drop_group_index;

/// The pass that does this everywhere, in bodies too.
Pass drop_group_indices();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/drop_group_index.ipp>
#endif
