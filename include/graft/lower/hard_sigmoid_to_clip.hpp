#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  HardSigmoid(x)
// After:   Clip(x * alpha + beta, 0, 1)
//
// Before:  HardSwish(x)                       by the rule hard_swish_to_hard_sigmoid
// After:   x * HardSigmoid(x) {alpha=1/6, beta=0.5}
//
// x is f32 or f16, since opset 7: before, Mul and Add do not broadcast. For runtimes that compute Conv in integers, but
// neither of these: alpha and beta go into the Conv that makes x for HardSigmoid alone, by mul_into_conv and
// add_into_conv_bias, or into a depthwise one, for which x is as channels_to_depthwise_conv wants it.

namespace graft::inline v1 {

extern const RuleView hard_sigmoid_to_clip;
extern const RuleView hard_swish_to_hard_sigmoid;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/hard_sigmoid_to_clip.ipp>
#endif
