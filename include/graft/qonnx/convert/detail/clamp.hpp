#pragma once
#include <limits>
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::qonnx::detail {

/// The combined bounds of one or more consecutive Relu or Clip.
struct Clamp {
  float min = -std::numeric_limits<float>::infinity(), max = std::numeric_limits<float>::infinity();

  /// The bounds of this one followed by another.
  Clamp then(const Clamp& other) const;
  float operator()(float x) const;
};

/// The bounds of a Relu, or of a Clip with constant bounds in the right order; nullopt for others.
std::optional<Clamp> clamp_of(const Node& node);

/// A value before or behind a row of such nodes in one scope, and their combined bounds. Values within the row have no
/// other readers.
struct ClampedValue {
  Value* value = nullptr;
  Clamp clamp{};
};

/// The row that is the only reader of the value.
ClampedValue clamped_behind(Value& value);
/// The row that produces the value, which has one reader.
ClampedValue clamped_before(Value& value);

}  // namespace graft::inline v1::qonnx::detail
