#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  Sub(x, c)          c constant, of floats or signed integers
// After:   Add(x, -c)
//
// Exact: the same bits. A new constant, never an edit of one that others read.

namespace graft::inline v1::qonnx {

extern const RuleView sub_to_add;

/// The pass that does this everywhere, in bodies and functions too.
Pass subs_to_adds();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/cleanup/sub_to_add.ipp>
#endif
