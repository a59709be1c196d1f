#pragma once
#include <graft/quantize/kernel/bounds.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

namespace detail {

/// A bound of Clip: an input since version 11, before that an attribute. `absent`, an infinity, if there is none, or
/// one that no number passes: by default version 6 has the greatest float32. nullopt if it is not constant.
inline std::optional<float> clip_bound(const Node& clip, std::size_t input, std::string_view attribute, float absent) {
  const auto effective = [absent](float bound) {
    return bound == std::copysign(std::numeric_limits<float>::max(), absent) ? absent : bound;
  };
  if (clip.opset() < 11) return effective(clip.attr<float>(attribute).value_or(absent));
  const Value* const value = clip.input(input);
  if (value == nullptr) return absent;
  const std::optional<Tensor> tensor = value->constant();
  if (!tensor || tensor->size() != 1 || !is_float(tensor->dtype())) return std::nullopt;
  return effective(tensor->item<float>());
}

}  // namespace detail

GRAFT_INLINE std::optional<Range> bounds(const Node& node) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (node.is("Relu")) return Range{0, infinity};
  if (!node.is("Clip")) return std::nullopt;
  const std::optional<float> min = detail::clip_bound(node, 1, "min", -infinity);
  const std::optional<float> max = detail::clip_bound(node, 2, "max", infinity);
  if (!min || !max || !(*min <= *max)) return std::nullopt;
  return Range{*min, *max};
}

}  // namespace graft::inline v1
