#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Gelu(x + b) {approximate="none"}, or com.microsoft::Gelu(x + b)
// After:   com.microsoft::BiasGelu(x, b)     by bias_gelu
//
// Before:  com.microsoft::FastGelu(x + b), or Gelu(x + b) {approximate="tanh"}
// After:   com.microsoft::FastGelu(x, b)     by bias_fast_gelu
//
// b is a constant [H], and H the last extent of x. x is f32 or f16. Nothing else reads the sum.

namespace graft::inline v1 {

extern const RuleView bias_gelu;
extern const RuleView bias_fast_gelu;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/bias_gelu.ipp>
#endif
