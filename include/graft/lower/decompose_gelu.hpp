#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  Gelu(x) {approximate="none"}, or com.microsoft::Gelu(x)
// After:   0.5 * x * (1 + Erf(x * sqrt(1/2)))
//
// Before:  com.microsoft::FastGelu(x), or Gelu(x) {approximate="tanh"}
// After:   0.5 * x * (1 + Tanh(sqrt(2 / pi) * (x + 0.044715 * (x * x * x))))
//
// Before:  com.microsoft::BiasGelu(x, b), or FastGelu(x, b)
// After:   the same of x + b
//
// The dtype of x is known, and the opset is 7 or later, 9 for Erf. Values stay, to rounding. (Hendrycks and Gimpel
// 2016.)

namespace graft::inline v1 {

extern const RuleView decompose_gelu;
extern const RuleView decompose_tanh_gelu;

/// The pass that does both everywhere, in bodies too. Types are inferred first. An import of com.microsoft that nothing
/// uses any more goes.
Pass decompose_gelus();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/decompose_gelu.ipp>
#endif
