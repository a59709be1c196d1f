#pragma once
#include <graft/graph/value.hpp>
#include <graft/pattern/where.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  f(MaxPool(x))         f: Relu or Clip, which keep the order of numbers
// After:   MaxPool(f(x))
//
// The producer of x is a node, and MaxPool is its only reader, so that f may become part of the producer. The indices
// are unused. No window lies in padding only, because padding is less than any number: pads are less than the kernel,
// dilations are 1, and ceil_mode is 0.
extern const RuleView activation_before_max_pool;

namespace rules {

inline bool is_made_for_one(const Value& value) { return value.producer() != nullptr && value.use_count() == 1; }
inline constexpr auto made_for_one = predicate<is_made_for_one>("its producer is not a node, or has other readers");

}  // namespace rules

// Before:  f(g(x, ...))          f: Relu, Clip, LeakyRelu, Elu, Sigmoid, Tanh, HardSigmoid or HardSwish
// After:   g(f(x), ...)          g: Transpose, Reshape, Flatten, Squeeze, Unsqueeze, DepthToSpace or SpaceToDepth
//
// The producer of x is a node, and g is its only reader, so that f may become part of the producer.
extern const RuleView activation_before_movement;

}  // namespace graft::inline v1
