#pragma once
#include <graft/simplify/fuse/merge_matmuls.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <unordered_map>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

namespace detail {

inline bool may_merge(const Node& node) {
  if (!node.is("MatMul") || node.input(0)->is_constant() || !node.input(0)->shape().known()) return false;
  const Value& weight = *node.input(1);
  const auto dims = weight.shape().dims();
  return weight.is_constant() && weight.use_count() == 1 && dims && dims->size() == 2 &&
         weight.dtype() == node.input(0)->dtype();
}

/// Matrices of as many rows each, side by side.
inline Tensor side_by_side(std::span<const Tensor> matrices) {
  std::int64_t columns = 0;
  for (const Tensor& matrix : matrices) columns += matrix.dims()[1];
  const std::int64_t rows = matrices[0].dims()[0];
  Tensor all(matrices[0].dtype(), {rows, columns});
  std::byte* to = all.mutable_bytes().data();
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    for (const Tensor& matrix : matrices) {
      const std::size_t width = matrix.bytes().size() / static_cast<std::size_t>(rows);
      if (width != 0) std::memcpy(to, matrix.bytes().data() + row * width, width);
      to += width;
    }
  }
  return all;
}

GRAFT_INLINE Verdict merge_matmuls(std::span<Node* const> products, Rewriter& rewriter) {
  Value& x = *products[0]->input(0);
  rewriter.at(*products[0]);
  std::vector<Tensor> weights;
  Ints widths;
  for (const Node* const product : products) {
    weights.push_back(*product->input(1)->constant());
    if (weights.back().dims()[0] != weights.front().dims()[0])
      return rewriter.decline("the weights are of unlike height");
    widths.push_back(weights.back().dims()[1]);
  }
  Value& merged = rewriter.op("MatMul", {&x, &rewriter.constant(side_by_side(weights), products[0]->input(1)->name())});
  const std::int64_t axis = static_cast<std::int64_t>(x.shape().rank()) - 1;
  std::vector<Value*> inputs{&merged};
  Attributes attributes{{"axis", axis}};
  if (x.graph().opset() >= 13) {
    inputs.push_back(&rewriter.constant(Tensor::of<std::int64_t>({std::ssize(widths)}, widths), "split"));
  } else {
    attributes.emplace_back("split", widths);
  }
  Node& split = rewriter.node("Split", inputs, products.size(), attributes);
  for (std::size_t i = 0; i < products.size(); ++i) {
    Value* const part = split.output(i);
    if (Verdict replaced = rewriter.replace(*products[i], std::span(&part, 1)); !replaced) return replaced;
  }
  return rewriter.commit();
}

}  // namespace detail

GRAFT_INLINE Pass merge_matmuls() {
  return pass("merge_matmuls", [](Graph& graph, Context& context) {
    Report report;
    infer_shapes(graph, {.custom = context.shape_functions});
    Rewriter rewriter(graph, context);
    for (Graph* const scope : scopes_of(graph)) {
      std::unordered_map<const Value*, std::size_t> group_of;
      std::vector<std::vector<Node*>> groups;  // in the order of their first nodes
      for (Node& node : scope->nodes()) {
        if (!detail::may_merge(node)) continue;
        const auto [place, fresh] = group_of.try_emplace(node.input(0), groups.size());
        if (fresh) groups.emplace_back();
        groups[place->second].push_back(&node);
      }
      for (const std::vector<Node*>& products : groups) {
        if (products.size() > 1 && detail::merge_matmuls(products, rewriter)) ++report.changes;
      }
    }
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
