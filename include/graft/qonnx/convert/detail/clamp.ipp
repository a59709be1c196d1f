#pragma once
#include <graft/qonnx/convert/detail/clamp.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::qonnx::detail {

GRAFT_INLINE Clamp Clamp::then(const Clamp& other) const { return {other(min), other(max)}; }

GRAFT_INLINE float Clamp::operator()(float x) const { return std::clamp(x, min, max); }

/// Returns false if the bound is present, but not a constant number.
inline bool read_bound(const Node& clip, std::size_t input, std::string_view attribute, float& bound) {
  if (clip.opset() < 11) {
    bound = clip.attr<float>(attribute).value_or(bound);
  } else if (clip.input(input) != nullptr) {
    const std::optional<Tensor> given = clip.input(input)->constant();
    if (!given || given->dtype() != DType::f32 || given->size() != 1) return false;
    bound = given->item<float>();
  }
  return !std::isnan(bound);
}

GRAFT_INLINE std::optional<Clamp> clamp_of(const Node& node) {
  Clamp clamp;
  if (node.is("Relu")) {
    clamp.min = 0;
    return clamp;
  }
  if (!node.is("Clip") || !read_bound(node, 1, "min", clamp.min) || !read_bound(node, 2, "max", clamp.max) ||
      clamp.min > clamp.max)
    return std::nullopt;
  return clamp;
}

GRAFT_INLINE ClampedValue clamped_behind(Value& value) {
  ClampedValue found{&value};
  while (found.value->has_one_use()) {
    Node* const user = found.value->uses().front().user();
    const std::optional<Clamp> clamp =
        user != nullptr && user->input(0) == found.value ? clamp_of(*user) : std::nullopt;
    if (!clamp || &user->graph() != &value.graph()) break;
    found = {user->output(0), found.clamp.then(*clamp)};
  }
  return found;
}

GRAFT_INLINE ClampedValue clamped_before(Value& value) {
  ClampedValue found{&value};
  while (found.value->has_one_use() && found.value->producer() != nullptr) {
    const Node& node = *found.value->producer();
    const std::optional<Clamp> clamp = clamp_of(node);
    if (!clamp || node.input(0) == nullptr || &node.graph() != &value.graph()) break;
    found = {node.input(0), clamp->then(found.clamp)};
  }
  return found;
}

}  // namespace graft::inline v1::qonnx::detail
