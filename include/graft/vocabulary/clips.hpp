#pragma once
#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include <graft/pattern/attr.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/vocabulary/captures.hpp>

// Clip with constant bounds, which are attributes before version 11.

namespace graft::inline v1::vocabulary {

inline constexpr auto clip_min = param<"min", float>;
inline constexpr auto clip_max = param<"max", float>;

/// x, of a dtype whose bounds fit a float.
inline constexpr auto single = x.dtype(DType::f32, DType::f16);

/// The greatest result of Clip without an upper bound: infinities become it.
inline float greatest(const Graph& graph, DType dtype) {
  return dtype == DType::f16 && graph.opset() >= 11 ? 65504.0F : std::numeric_limits<float>::max();
}

/// The bounds of a Clip or Relu of f32 or f16. An absent bound is the lowest or greatest number; only an infinite bound
/// lets infinities through.
struct ClipBounds {
  float min = -std::numeric_limits<float>::infinity(), max = std::numeric_limits<float>::infinity();

  ClipBounds(const Node& node, const std::optional<float>& lower, const std::optional<float>& upper) {
    if (node.is("Relu")) {
      min = 0;
      return;
    }
    const float most = greatest(node.graph(), node.input(0)->dtype());
    min = lower.value_or(-most);
    max = upper.value_or(most);
  }
  float clamped(float value) const { return std::clamp(value, min, max); }
};

/// Clip of an f32 or f16 tensor with these bounds, or Relu if it has the same bounds.
inline Value& clip(Rewriter& rewriter, Value& input, DType dtype, float min, float max) {
  const float most = greatest(rewriter.graph(), dtype);
  const bool has_min = min != -most, has_max = max != most;
  if (min == 0 && max == std::numeric_limits<float>::infinity()) return rewriter.op("Relu", {&input});
  if (rewriter.graph().opset() < 11) {
    Attributes bounds;
    if (has_min) bounds.push_back({"min", min});
    if (has_max) bounds.push_back({"max", max});
    return rewriter.op("Clip", {&input}, bounds);
  }
  const auto bound = [&](bool is_there, float value, std::string_view hint) {
    return is_there ? &rewriter.constant(Tensor::scalar(dtype, value), hint) : nullptr;
  };
  return rewriter.op("Clip", {&input, bound(has_min, min, "min"), bound(has_max, max, "max")});
}

}  // namespace graft::inline v1::vocabulary
