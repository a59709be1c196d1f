#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Conv(Pad(x, p), w, b?) {pads}
// After:   Conv(x, w, b?) {pads + p}
//
// p is constant, pads spatial axes only, crops none, and fills with 0. The Conv's auto_pad is NOTSET or VALID.

namespace graft::inline v1 {

extern const RuleView pad_into_conv;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/pad_into_conv.ipp>
#endif
