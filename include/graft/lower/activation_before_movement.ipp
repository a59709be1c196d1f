#pragma once
#include <graft/lower/activation_before_movement.hpp>

#include <graft/config.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto activation_before_movement = rule<"activation-before-movement">(
    one_of<"Relu", "Clip", "LeakyRelu", "Elu", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish">(
        one_of<"Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "DepthToSpace", "SpaceToDepth">(x, left)
            .as(inner),
        right)
        .as(outer),
    where(made_for_one(x)), inner(outer(x, right), left));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView activation_before_movement = vocabulary::activation_before_movement.view();

}  // namespace graft::inline v1
