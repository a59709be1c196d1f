#pragma once
#include <graft/transformer/detail/merged_projections.hpp>

#include <array>
#include <cstddef>

#include <graft/config.hpp>
#include <graft/evaluate/kernels/concat.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::detail {

inline bool is_sole_constant(const Value* value, std::size_t rank) {
  return value != nullptr && value->is_constant() && value->has_one_use() && value->shape().rank() == rank &&
         value->shape().dims();
}

/// MatMul(x, weight), or the Add of a bias to it. Sets x.
inline std::optional<MergedProjections::Part> projection(const Value& flat, Value*& x) {
  if (!flat.has_one_use() || flat.is_graph_output()) return std::nullopt;
  MergedProjections::Part part;
  const Node* node = flat.producer();
  if (node != nullptr && node->is("Add")) {
    const std::size_t i = node->input(0)->is_constant() ? 0 : 1;
    part.bias = node->input(i);
    const Value& product = *node->input(1 - i);
    if (!is_sole_constant(part.bias, 1) || !product.has_one_use() || product.is_graph_output()) return std::nullopt;
    node = product.producer();
  }
  if (node == nullptr || !node->is("MatMul") || !is_sole_constant(node->input(1), 2)) return std::nullopt;
  part.weight = node->input(1);
  if (part.bias != nullptr && part.bias->shape()[0] != part.weight->shape()[1]) return std::nullopt;
  x = node->input(0);
  return x->shape().rank() == 3 ? std::optional(part) : std::nullopt;
}

GRAFT_INLINE std::optional<MergedProjections> merged_projections(const ScaledDotProduct& found) {
  MergedProjections merged;
  const HeadView* const views[]{&found.query, &found.key, &found.value};
  for (std::size_t i = 0; i < 3; ++i) {
    Value* input = nullptr;
    const auto part = views[i]->flat == nullptr ? std::nullopt : projection(*views[i]->flat, input);
    if (!part || (i > 0 && input != merged.input)) return std::nullopt;
    merged.input = input;
    merged.parts[i] = *part;
  }
  return merged;
}

GRAFT_INLINE Value& MergedProjections::weight(Rewriter& rewriter) const {
  const std::array all{*parts[0].weight->constant(), *parts[1].weight->constant(), *parts[2].weight->constant()};
  return rewriter.constant(standard_kernels::detail::concatenated(all, 1), "qkv_weight");
}

GRAFT_INLINE Value& MergedProjections::bias(Rewriter& rewriter) const {
  std::array<Tensor, 3> all;
  for (std::size_t i = 0; i < 3; ++i) {
    const Value& weight = *parts[i].weight;
    all[i] = parts[i].bias != nullptr ? *parts[i].bias->constant()
                                      : Tensor(weight.constant()->dtype(), {weight.shape()[1].value()});
  }
  return rewriter.constant(standard_kernels::detail::concatenated(all, 0), "qkv_bias");
}

}  // namespace graft::inline v1::detail
