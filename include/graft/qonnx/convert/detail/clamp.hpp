#pragma once
#include <limits>
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::qonnx::detail {

/// The bounds of a Relu or Clip, or of several one after the other.
struct Clamp {
  float min = -std::numeric_limits<float>::infinity(), max = std::numeric_limits<float>::infinity();

  /// This one, then another.
  Clamp then(const Clamp& other) const;
  float operator()(float x) const;
};

/// The bounds of a Relu, or of a Clip with constant ones in the right order; nullopt for others.
std::optional<Clamp> clamp_of(const Node& node);

/// A value in front of, or behind, a row of such nodes in one scope, and what they do together. Nothing else reads what
/// is between them.
struct ClampedValue {
  Value* value = nullptr;
  Clamp clamp{};
};

/// The row that reads the value, and nothing else does.
ClampedValue clamped_behind(Value& value);
/// The row that makes the value, which only one reads.
ClampedValue clamped_before(Value& value);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/detail/clamp.ipp>
#endif
