#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  x * Sigmoid(alpha * x), or x * Sigmoid(x)    factors in any order
// After:   com.microsoft::QuickGelu(x) {alpha}          alpha=1 for the latter
//
// alpha is one constant element. x is f32 or f16.

namespace graft::inline v1 {

extern const RuleView quick_gelu;
extern const RuleView silu_to_quick_gelu;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/quick_gelu.ipp>
#endif
