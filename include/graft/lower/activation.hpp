#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

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
extern const RuleView decompose_gelu;
extern const RuleView decompose_tanh_gelu;

/// The pass that does both everywhere, in bodies too. Types are inferred first. An import of com.microsoft that nothing
/// uses any more goes.
Pass decompose_gelus();

// Before:  Erf(x)
// After:   Tanh(x * 605/503)
//
// x is of floats. Values change, by less than 0.02 (most where |x| is about 1.4). For accelerators that have Tanh,
// but not Erf.
extern const RuleView erf_to_tanh;

/// The pass that does this everywhere, in bodies too. Types are inferred first.
Pass erfs_to_tanhs();

// Before:  com.microsoft::QuickGelu(x) {alpha}
// After:   x * Sigmoid(alpha * x)
//
// The dtype of x is known, and the opset is 7 or later: before, Mul does not broadcast. Values stay.
extern const RuleView quick_gelu_to_sigmoid;

/// The pass that does this everywhere, in bodies too. Types are inferred first. An import of com.microsoft that nothing
/// uses any more goes.
Pass decompose_quick_gelus();

// Before:  HardSigmoid(x)
// After:   Clip(x * alpha + beta, 0, 1)
//
// Before:  HardSwish(x)                       by the rule hard_swish_to_hard_sigmoid
// After:   x * HardSigmoid(x) {alpha=1/6, beta=0.5}
//
// x is f32 or f16, since opset 7: before, Mul and Add do not broadcast. For runtimes that compute Conv in integers, but
// neither of these: alpha and beta go into the Conv that makes x for HardSigmoid alone, by mul_into_conv and
// add_into_conv_bias, or into a depthwise one, for which x is as channels_to_depthwise_conv wants it.
extern const RuleView hard_sigmoid_to_clip;
extern const RuleView hard_swish_to_hard_sigmoid;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/activation.ipp>
#endif
