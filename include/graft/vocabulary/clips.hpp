#pragma once
#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include <graft/pattern.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/vocabulary/captures.hpp>

// Clip with constant bounds, which are attributes before version 11.

namespace graft::inline v1::vocabulary {

inline constexpr auto clip_min = param<"min", float>;
inline constexpr auto clip_max = param<"max", float>;

/// x, of a dtype whose bounds a float holds.
inline constexpr auto single = x.dtype(DType::f32, DType::f16);

/// The bounds of a Clip or Relu.
struct ClipBounds {
  float min = -std::numeric_limits<float>::infinity(), max = std::numeric_limits<float>::infinity();

  ClipBounds(const Node& node, const std::optional<float>& lower, const std::optional<float>& upper) {
    // Those of Clip-6 that are not given are the ends of float. Elsewhere such a bound stops infinities.
    const bool has_defaults = node.is("Clip") && node.opset() < 11;
    const float most = has_defaults ? std::numeric_limits<float>::max() : std::numeric_limits<float>::infinity();
    if (lower && !(*lower <= -most)) min = *lower;
    if (upper && !(*upper >= most)) max = *upper;
    if (node.is("Relu")) min = 0;
  }
  float clamped(float value) const { return std::clamp(value, min, max); }
};

/// Clip of a tensor of that dtype, or Relu if the bounds are its.
inline Value& clip(Rewriter& rewriter, Value& input, DType dtype, float min, float max) {
  const bool has_min = min > -std::numeric_limits<float>::infinity();
  const bool has_max = max < std::numeric_limits<float>::infinity();
  if (min == 0 && !has_max) return rewriter.op("Relu", {&input});
  if (rewriter.graph().opset() < 11) {
    Attributes bounds;
    if (has_min) bounds.push_back({"min", min});
    if (has_max) bounds.push_back({"max", max});
    return rewriter.op("Clip", {&input}, bounds);
  }
  const auto bound = [&](bool is_there, float value, std::string_view hint) {
    return is_there ? &rewriter.constant(Tensor::of(dtype, {}, {value}), hint) : nullptr;
  };
  return rewriter.op("Clip", {&input, bound(has_min, min, "min"), bound(has_max, max, "max")});
}

}  // namespace graft::inline v1::vocabulary
