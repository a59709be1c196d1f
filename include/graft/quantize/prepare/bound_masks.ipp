#pragma once
#include <graft/quantize/prepare/bound_masks.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
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

inline std::optional<std::vector<float>> float_constant(const Value* value) {
  const std::optional<Tensor> tensor = value != nullptr ? value->constant() : std::nullopt;
  return tensor && tensor->dtype() == DType::f32 ? std::optional(tensor->to<float>()) : std::nullopt;
}

/// Of a constant whose negative elements are all the same, and below -1000.
inline std::optional<Tensor> bounded_mask(const Value& value) {
  std::optional<std::vector<float>> elements = float_constant(&value);
  if (!elements || elements->empty()) return std::nullopt;
  const float least = *std::ranges::min_element(*elements);
  const auto fits = [=](float x) { return x >= 0 || x == least; };
  if (!(least < mask_at_most) || !std::ranges::all_of(*elements, fits)) return std::nullopt;
  for (float& x : *elements) x = std::max(x, mask_bound);
  return Tensor::of<float>(value.constant()->dims(), *elements);
}

/// Whether a tensor has integers alone: a Cast of integers or booleans, or an integer minus that.
inline bool has_integers(const Value* value) {
  while (value != nullptr && value->producer() != nullptr) {
    const Node& node = *value->producer();
    if (node.is("Cast") && node.input(0) != nullptr)
      return is_integer(node.input(0)->dtype()) || node.input(0)->dtype() == DType::boolean;
    const auto from = node.is("Sub") ? float_constant(node.input(0)) : std::nullopt;
    if (from && std::ranges::all_of(*from, [](float x) { return std::trunc(x) == x; })) value = node.input(1);
    else if (moves_elements(node)) value = node.input(0);
    else return false;
  }
  return false;
}

/// Whether the result is a sum of this input, be it moved, and of others.
inline bool adds(const Node& node, std::size_t input) {
  if (node.is("Add")) return true;
  return input == 0 && (node.is("Softmax") || node.is("Sub") || node.is("Cast") || moves_elements(node));
}

/// Whether each element of the result is this input times an integer, or is not negative.
inline bool masks(const Node& node, std::size_t input) {
  if (node.is("Mul")) return has_integers(node.input(1 - input));
  if (!node.is("Where") || input == 0) return false;
  const auto other = float_constant(node.input(3 - input));
  return other && std::ranges::all_of(*other, [](float x) { return x >= 0; });
}

/// Finds the nodes whose results are added to what a Softmax reads, and have no other use.
class MaskBounds {
 public:
  Report run(Graph& graph, Context& context) {
    Report report;
    for (Node* node = graph.last_node(); node != nullptr; node = node->prev())
      if (node->is("Softmax") || is_added(*node)) visit(*node);
    std::ranges::reverse(added_);
    for (Node* const node : added_) {
      std::size_t bounds = 0;
      bool changes = false;
      for (std::size_t i = 0; i < node->input_count(); ++i) {
        bounds += bound(*node, i);
        changes = changes || changed_.contains(node->input(i));
      }
      report.changes += bounds;
      if ((bounds == 0 && !changes) || node->is("Softmax")) continue;
      for (const Value& output : node->outputs()) {
        changed_.insert(&output);
        context.facts.tensor_changed(output.name());
      }
    }
    return report;
  }

 private:
  bool is_added(const Node& node) const {
    bool is_used = false;
    for (const Value& output : node.outputs()) {
      const auto uses = uses_.find(&output);
      if (output.use_count() != (uses != uses_.end() ? uses->second : 0)) return false;
      is_used = is_used || output.is_used();
    }
    return is_used;
  }

  void visit(Node& node) {
    added_.push_back(&node);
    for (std::size_t i = 0; i < node.input_count(); ++i)
      if (adds(node, i)) ++uses_[node.input(i)];
  }

  static bool bound(Node& node, std::size_t i) {
    const Value* const input = node.input(i);
    if (input == nullptr || !input->is_constant() || !(adds(node, i) || masks(node, i))) return false;
    std::optional<Tensor> bounded = bounded_mask(*input);
    if (!bounded) return false;
    replace_constant(node, i, *std::move(bounded), input->name());
    return true;
  }

  std::unordered_map<const Value*, std::size_t> uses_;  // by nodes that add the value to what a Softmax reads
  std::vector<Node*> added_;
  std::unordered_set<const Value*> changed_;
};

}  // namespace detail

GRAFT_INLINE Pass bound_masks() {
  return pass("bound_masks", [](Graph& graph, Context& context) {
           return detail::MaskBounds().run(graph, context);
         }).preserves_all();
}

}  // namespace graft::inline v1
