#pragma once
#include <graft/graph/graph.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>

// Before:  f(g(x, ...))          f: Relu, Clip, LeakyRelu, Elu, Sigmoid, Tanh, HardSigmoid or HardSwish
// After:   g(f(x), ...)          g: Transpose, Reshape, Flatten, Squeeze, Unsqueeze, DepthToSpace or SpaceToDepth
//
// A node makes x, and g alone reads it: f may then become part of that node.

namespace graft::inline v1 {
namespace detail::simplification {

inline bool is_made_for_one(const Value& value) { return value.producer() != nullptr && value.use_count() == 1; }
inline constexpr auto made_for_one = predicate<is_made_for_one>("no node makes it for this use alone");

inline constexpr auto activation_before_movement = rule<"activation-before-movement">(
    one_of<"Relu", "Clip", "LeakyRelu", "Elu", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish">(
        one_of<"Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "DepthToSpace", "SpaceToDepth">(x, left)
            .as(inner),
        right)
        .as(outer),
    where(made_for_one(x)), inner(outer(x, right), left));

}  // namespace detail::simplification

using detail::simplification::activation_before_movement;

}  // namespace graft::inline v1
