#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qdq/drop.hpp>

namespace graft::inline v1::detail {

/// Reads the constant bias of a Conv or Gemm as one value for each output channel; an absent bias is zeros.
inline Verdict read_channel_bias(const Node& node, std::size_t channels, std::vector<float>& bias) {
  if (node.is("Gemm") && node.attr<float>("beta").value_or(1) == 0) return Verdict::no("its beta is 0");
  bias.assign(channels, 0);
  const Value* const value = node.input(2);
  if (value == nullptr) return Verdict::yes();
  if (!value->is_constant()) return Verdict::no("its bias is not constant");
  const std::optional<Tensor> tensor = value->constant();
  if (!tensor || tensor->dtype() != DType::f32 || tensor->dims() != Dims{static_cast<std::int64_t>(channels)})
    return Verdict::no("its bias has no value for each channel");
  bias = tensor->to<float>();
  return Verdict::yes();
}

/// Sets a new constant. Other nodes may share the old one, which is removed if it has no readers left.
inline void replace_constant(Node& node, std::size_t input, Tensor tensor, std::string_view name) {
  Value* const old = node.input(input);
  if (node.input_count() <= input) node.graph().resize_inputs(node, input + 1);
  rewire(node, input, node.graph().add_initializer(std::move(tensor), name));
  drop_unused(old);
}

/// suffix: of the name of a new bias; otherwise the name comes from the old bias or from the weight.
inline void replace_channel_bias(Node& node, std::span<const float> bias, std::string_view suffix) {
  const Value* const old = node.input(2);
  const std::string hint = old != nullptr ? std::string(old->name()) : std::string(node.input(1)->name()) + "_bias";
  replace_constant(node, 2, Tensor::list(bias),
                   hint + std::string(suffix));
}

}  // namespace graft::inline v1::detail
