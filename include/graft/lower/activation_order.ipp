#pragma once
#include <graft/lower/activation_order.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/node.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace rules {

inline bool windows_reach_input(const Node& pool) {
  if (pool.attr<std::int64_t>("ceil_mode").value_or(0) != 0) return false;
  const Ints kernel = pool.attr<Ints>("kernel_shape").value_or(Ints());
  const Ints padding = pool.attr<Ints>("pads").value_or(Ints()), spread = pool.attr<Ints>("dilations").value_or(Ints());
  if (std::any_of(spread.begin(), spread.end(), [](std::int64_t step) { return step != 1; })) return false;
  for (std::size_t i = 0; i < padding.size(); ++i)
    if (kernel.empty() || padding[i] >= kernel[i % kernel.size()]) return false;
  return true;
}

inline constexpr auto activation_before_max_pool = rule<"activation-before-max-pool">(
    one_of<"Relu", "Clip">(op<"MaxPool">(x).as(inner), right).as(outer),
    where(made_for_one(x), predicate<windows_reach_input>("a window may lie in padding")(inner)),
    inner(outer(x, right)));

inline constexpr auto activation_before_movement = rule<"activation-before-movement">(
    one_of<"Relu", "Clip", "LeakyRelu", "Elu", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish">(
        one_of<"Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "DepthToSpace", "SpaceToDepth">(x, left).as(
            inner),
        right)
        .as(outer),
    where(made_for_one(x)), inner(outer(x, right), left));

}  // namespace rules

GRAFT_INLINE constinit const RuleView activation_before_max_pool = rules::activation_before_max_pool.view();

GRAFT_INLINE constinit const RuleView activation_before_movement = rules::activation_before_movement.view();

}  // namespace graft::inline v1
