#pragma once
#include <algorithm>
#include <limits>
#include <optional>

#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>
#include <graft/simplify/detail/clips.hpp>

// Before:  f(g(x))             f, g: Clip or Relu
// After:   Clip(x, l, h)       l and h: the bounds of g, kept inside those of f
//          Relu(x)             if l is 0 and there is no h
//
// x is f32 or f16; bounds are constant, and the lower one of each Clip is not above the upper one.

namespace graft::inline v1 {
namespace detail::simplification {

inline constexpr auto inner_min = clip_min.named<"inner_min">();
inline constexpr auto inner_max = clip_max.named<"inner_max">();

struct ClipBounds {
  float min = -std::numeric_limits<float>::infinity(), max = std::numeric_limits<float>::infinity();

  ClipBounds(const Node& node, const std::optional<float>& lower, const std::optional<float>& upper) {
    // Those of Clip-6 that are not given are the ends of float.
    constexpr float most = std::numeric_limits<float>::max();
    if (lower && *lower > -most) min = *lower;
    if (upper && *upper < most) max = *upper;
    if (node.is("Relu")) min = 0;
  }
  float clamped(float value) const { return std::clamp(value, min, max); }
};

inline Value& clip(Rewriter& rewriter, Value& input, float min, float max) {
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
    return is_there ? &rewriter.constant(Tensor::of(input.dtype(), {}, {value}), hint) : nullptr;
  };
  return rewriter.op("Clip", {&input, bound(has_min, min, "min"), bound(has_max, max, "max")});
}

inline constexpr auto clip_clip = rule<"clip-clip">(
    [] {
      const auto first = either(op<"Clip">(single).with(opt(inner_min), opt(inner_max)).as(inner),
                                op<"Relu">(single).as(inner));
      return either(op<"Clip">(first).with(opt(clip_min), opt(clip_max)).as(outer), op<"Relu">(first).as(outer));
    }(),
    [](const auto& m, Rewriter& rewriter) {
      const ClipBounds first(m[inner], m[inner_min], m[inner_max]), second(m[outer], m[clip_min], m[clip_max]);
      if (!(first.min <= first.max) || !(second.min <= second.max))
        return rewriter.decline("a lower bound is above the upper one");
      return rewriter.replace(*m[outer].output(0),
                              clip(rewriter, m[x], second.clamped(first.min), second.clamped(first.max)));
    });

}  // namespace detail::simplification

using detail::simplification::clip_clip;

}  // namespace graft::inline v1
