#pragma once
#include <graft/graph/value.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  f(g(x, ...))          f: Relu, Clip, LeakyRelu, Elu, Sigmoid, Tanh, HardSigmoid or HardSwish
// After:   g(f(x), ...)          g: Transpose, Reshape, Flatten, Squeeze, Unsqueeze, DepthToSpace or SpaceToDepth
//
// A node makes x, and g alone reads it: f may then become part of that node.

namespace graft::inline v1 {
namespace vocabulary {

inline bool is_made_for_one(const Value& value) { return value.producer() != nullptr && value.use_count() == 1; }
inline constexpr auto made_for_one = predicate<is_made_for_one>("no node makes it for this use alone");

}  // namespace vocabulary

extern const RuleView activation_before_movement;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/activation_before_movement.ipp>
#endif
