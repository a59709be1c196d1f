#pragma once
#include <graft/graph/value.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  f(MaxPool(x))         f: Relu or Clip, which keep the order of numbers
// After:   MaxPool(f(x))
//
// A node makes x, and MaxPool alone reads it: f may then become part of that node. Indices are not asked for. No window
// lies in padding only, which is less than any number: pads are less than the kernel, which is not dilated, and
// ceil_mode is 0.
extern const RuleView activation_before_max_pool;

namespace rules {

inline bool is_made_for_one(const Value& value) { return value.producer() != nullptr && value.use_count() == 1; }
inline constexpr auto made_for_one = predicate<is_made_for_one>("no node makes it for this use alone");

}  // namespace rules

// Before:  f(g(x, ...))          f: Relu, Clip, LeakyRelu, Elu, Sigmoid, Tanh, HardSigmoid or HardSwish
// After:   g(f(x), ...)          g: Transpose, Reshape, Flatten, Squeeze, Unsqueeze, DepthToSpace or SpaceToDepth
//
// A node makes x, and g alone reads it: f may then become part of that node.
extern const RuleView activation_before_movement;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/activation_order.ipp>
#endif
