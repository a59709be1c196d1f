#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  Gelu(x) {approximate="none"}, or com.microsoft::Gelu(x)
// After:   0.5 * x * (1 + Erf(x * sqrt(1/2)))
//
// Before:  com.microsoft::BiasGelu(x, b)
// After:   the same with x + b for x
//
// The dtype of x is known. Opset 9 or later, for Erf. Values stay, to rounding. (Hendrycks and Gimpel 2016.)
extern const RuleView decompose_gelu;

// Before:  com.microsoft::FastGelu(x, b?), or Gelu(x) {approximate="tanh"}
// After:   0.5 * x * (1 + Tanh(sqrt(2 / pi) * (x + 0.044715 * (x * x * x))))       with x + b for x, if there is b
//
// The dtype of x is known. Opset 7 or later. Values stay, to rounding. (Hendrycks and Gimpel 2016.)
extern const RuleView decompose_tanh_gelu;

/// Applies both rules everywhere, bodies included, and infers types first. Removes the import of com.microsoft if
/// nothing uses it then.
Pass decompose_gelus();

// Before:  Erf(x)
// After:   Tanh(x * 605/503)
//
// x is a float. Values change by less than 0.02, most where |x| is about 1.4. For accelerators with Tanh but without
// Erf.
extern const RuleView erf_to_tanh;

/// Applies the rule everywhere, bodies included, and infers types first.
Pass erfs_to_tanhs();

// Before:  com.microsoft::QuickGelu(x) {alpha}
// After:   x * Sigmoid(alpha * x)
//
// The dtype of x is known. Opset 7 or later: earlier Mul does not broadcast. Values stay.
extern const RuleView quick_gelu_to_sigmoid;

/// Applies the rule everywhere, bodies included, and infers types first. Removes the import of com.microsoft if nothing
/// uses it then.
Pass decompose_quick_gelus();

// Before:  HardSigmoid(x)
// After:   Clip(x * alpha + beta, 0, 1)
//
// x is f32 or f16. Opset 7 or later: earlier Mul and Add do not broadcast. For runtimes that compute Conv in integers,
// but not HardSigmoid. alpha and beta go into the Conv that makes x for HardSigmoid alone, by mul_into_conv and
// add_into_conv_bias. Or they go into a depthwise Conv, if x is as mul_to_depthwise_conv requires.
extern const RuleView hard_sigmoid_to_clip;

// Before:  HardSwish(x)
// After:   x * HardSigmoid(x) {alpha=1/6, beta=0.5}
//
// The conditions are those of hard_sigmoid_to_clip.
extern const RuleView hard_swish_to_hard_sigmoid;

}  // namespace graft::inline v1
