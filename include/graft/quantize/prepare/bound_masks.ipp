#pragma once
#include <graft/quantize/prepare/bound_masks.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/detail/channel_bias.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

inline constexpr float mask_bound = -40, mask_at_most = -1000;

/// The inputs of a node, between a mask and a Softmax, through which the mask may come.
inline std::vector<std::size_t> masking_inputs(const Node& node) {
  if (node.is("Where")) return {1, 2};
  if (node.is("Add") || node.is("Sub") || node.is("Mul")) return {0, 1};
  const Elements elements = facts_of(node).elements;
  const bool moves = elements == Elements::same || elements == Elements::reshaped || elements == Elements::moved;
  return moves || node.is("Cast") ? std::vector<std::size_t>{0} : std::vector<std::size_t>();
}

inline std::optional<Tensor> bounded_mask(const Value& value) {
  const std::optional<Tensor> tensor = value.constant();
  if (!tensor || tensor->dtype() != DType::f32) return std::nullopt;
  std::vector<float> values = tensor->to<float>();
  if (std::ranges::none_of(values, [](float x) { return x < mask_at_most; })) return std::nullopt;
  for (float& x : values) x = std::max(x, mask_bound);
  return Tensor::of<float>(tensor->dims(), values);
}

}  // namespace detail

GRAFT_INLINE Pass bound_masks() {
  const auto run = [](Graph& graph, Context&) {
    Report report;
    std::vector<Node*> left;
    std::unordered_set<const Node*> seen;
    const auto climb = [&](const Value* value) {
      Node* const producer = value != nullptr ? value->producer() : nullptr;
      if (producer != nullptr && &producer->graph() == &graph && seen.insert(producer).second) left.push_back(producer);
    };
    for (Node& node : graph.nodes())
      if (node.is("Softmax")) climb(node.input(0));
    while (!left.empty()) {
      Node& node = *left.back();
      left.pop_back();
      for (const std::size_t i : detail::masking_inputs(node)) {
        Value* const input = i < node.input_count() ? node.input(i) : nullptr;
        if (input == nullptr) continue;
        climb(input);
        std::optional<Tensor> bounded = detail::bounded_mask(*input);
        if (!bounded) continue;
        detail::replace_constant(node, i, *std::move(bounded), input->name());
        ++report.changes;
      }
    }
    return report;
  };
  return pass("bound_masks", run).preserves_all();
}

}  // namespace graft::inline v1
