#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  com.microsoft::QuickGelu(x) {alpha}
// After:   x * Sigmoid(alpha * x)
//
// The dtype of x is known, and the opset is 7 or later: before, Mul does not broadcast. Values stay.

namespace graft::inline v1 {

extern const RuleView quick_gelu_to_sigmoid;

/// The pass that does this everywhere, in bodies too. Types are inferred first. An import of com.microsoft that nothing
/// uses any more goes.
Pass decompose_quick_gelus();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/quick_gelu_to_sigmoid.ipp>
#endif
