#pragma once
#include <graft/transformer/detail/merged_projections.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/concatenated.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::detail {

inline bool is_sole_constant(const Value* value, std::size_t rank) {
  return value != nullptr && value->is_constant() && value->has_one_use() && value->shape().rank() == rank &&
         value->shape().dims();
}

/// The part of MatMul(x, weight), or of an Add of a bias to it. Sets x.
inline std::optional<MergedProjections::Part> projection(const Value& flat, Value*& x) {
  if (!flat.has_one_use() || flat.is_graph_output()) return std::nullopt;
  MergedProjections::Part part;
  const Value* product = &flat;
  if (const Node* const sum = made_by(flat, "Add", 2)) {
    const std::size_t i = sum->input(0)->is_constant() ? 0 : 1;
    part.bias = sum->input(i);
    product = sum->input(1 - i);
    if (!is_sole_constant(part.bias, 1) || !product->has_one_use() || product->is_graph_output()) return std::nullopt;
  }
  const Node* const node = made_by(*product, "MatMul", 2);
  if (node == nullptr || !is_sole_constant(node->input(1), 2)) return std::nullopt;
  part.weight = node->input(1);
  if (part.bias != nullptr && part.bias->shape()[0] != part.weight->shape()[1]) return std::nullopt;
  x = node->input(0);
  return x->shape().rank() == 3 ? std::optional(part) : std::nullopt;
}

/// The value that a Split along its last axis splits into queries, keys and values, in this order; else nullptr.
inline const Value* split_projection(const ScaledDotProduct& found) {
  const Value* const parts[]{found.query.flat, found.key.flat, found.value.flat};
  const Node* const split = parts[0] == nullptr ? nullptr : made_by(*parts[0], "Split");
  if (split == nullptr || split->output_count() != 3) return nullptr;
  for (std::size_t i = 0; i < 3; ++i)
    if (parts[i] != split->output(i) || !parts[i]->has_one_use() || parts[i]->is_graph_output()) return nullptr;
  const auto axis = split->attr<std::int64_t>("axis").value_or(0);
  return axis == 2 || axis == -1 ? split->input(0) : nullptr;
}

GRAFT_INLINE std::optional<MergedProjections> merged_projections(const ScaledDotProduct& found) {
  MergedProjections merged;
  merged.steps_first = found.query.steps_first;
  if (found.key.steps_first != merged.steps_first || found.value.steps_first != merged.steps_first) return std::nullopt;
  std::vector<const Value*> products{found.query.flat, found.key.flat, found.value.flat};
  if (const Value* const whole = split_projection(found)) products = {whole};
  for (const Value* const product : products) {
    Value* input = nullptr;
    const auto part = product == nullptr ? std::nullopt : projection(*product, input);
    if (!part || (merged.input != nullptr && input != merged.input)) return std::nullopt;
    merged.input = input;
    merged.parts.push_back(*part);
  }
  return merged;
}

GRAFT_INLINE Value& MergedProjections::weight(Rewriter& rewriter) const {
  if (parts.size() == 1) return *parts[0].weight;
  std::vector<Tensor> all;
  for (const Part& part : parts) all.push_back(*part.weight->constant());
  return rewriter.constant(concatenated(all, 1), "qkv_weight");
}

GRAFT_INLINE Value& MergedProjections::bias(Rewriter& rewriter) const {
  if (parts.size() == 1 && parts[0].bias != nullptr) return *parts[0].bias;
  std::vector<Tensor> all;
  for (const Part& part : parts) {
    all.push_back(part.bias != nullptr ? *part.bias->constant()
                                       : Tensor(part.weight->constant()->dtype(), {part.weight->shape()[1].value()}));
  }
  return rewriter.constant(concatenated(all, 0), "qkv_bias");
}

}  // namespace graft::inline v1::detail
