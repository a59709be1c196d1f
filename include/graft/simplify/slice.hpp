#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Slice(Slice(x, starts, ends, axes?, steps?), starts', ends', axes'?, steps'?)
// After:   Slice(x, starts", ends", axes", steps")
//
// All of them constant: attributes before opset 10, which know no steps, inputs from then on. An axis that both slice
// gets one range: where the extent of x is known, whatever the two are; else if neither counts from the end nor
// backwards. The inner Slice may have other users.
extern const RuleView slice_slice;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/slice.ipp>
#endif
