#pragma once
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/vocabulary/captures.hpp>

// Before:  Clip(x + 3, 0, 6) / 6                 or times 1 / 6
// After:   HardSigmoid(x) {alpha=1/6, beta=0.5}  by the rule hard_sigmoid
//
// Before:  x * Clip(x + 3, 0, 6) / 6             in any order of the factors and summands, whichever of the three is
//                                                divided by 6 or multiplied by 1 / 6
//          x * HardSigmoid(x) {alpha=1/6, beta=0.5}
// After:   HardSwish(x)                          by the rule hard_swish, since opset 14
//          x * HardSigmoid(x)                    of the first, by the rule hard_swish_by_hard_sigmoid, before
//
// The constants are single elements, 1 / 6 to 2^-22, in f16 to 2^-10, in bf16 to 2^-8. (Howard et al. 2019.)

namespace graft::inline v1 {
namespace vocabulary {

inline constexpr auto alpha = attr<"alpha", float>;
inline constexpr auto hard_sigmoid_of_x = op<"HardSigmoid">(x).with(alpha = 1.0F / 6, beta = 0.5F);

}  // namespace vocabulary

extern const RuleView hard_sigmoid;
extern const RuleView hard_swish;
extern const RuleView hard_swish_by_hard_sigmoid;
extern const RuleView hard_swish_of_hard_sigmoid;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/hard_swish.ipp>
#endif
