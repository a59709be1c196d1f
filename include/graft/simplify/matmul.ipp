#pragma once
#include <graft/simplify/matmul.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/matmul.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1 {
namespace detail {

inline bool may_merge(const Node& node) {
  if (!node.is("MatMul") || node.input(0) == nullptr || node.input(1) == nullptr || node.output(0) == nullptr)
    return false;
  if (node.input(0)->is_constant() || !node.input(0)->shape().known()) return false;
  const Value& weight = *node.input(1);
  const auto dims = weight.shape().dims();
  return weight.is_constant() && weight.use_count() == 1 && dims && dims->size() == 2 &&
         weight.dtype() == node.input(0)->dtype();
}

/// Joins matrices with equal numbers of rows, side by side.
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

/// The Add of a constant with one element for each column, if it is the only reader of the product; else nullptr.
inline Node* bias_of(const Node& product) {
  const Value& result = *product.output(0);
  if (!result.has_one_use() || result.is_graph_output()) return nullptr;
  Node* const sum = result.uses().front().user();
  if (!sum->is("Add") || &sum->graph() != &product.graph() || sum->opset() < 7) return nullptr;
  const Value* const bias = sum->input(1 - result.uses().front().index());
  const bool fits = bias != nullptr && bias->is_constant() && bias->dtype() == product.input(1)->dtype() &&
                    bias->shape().dims() == Dims{product.input(1)->shape()[1].value()};
  return fits ? sum : nullptr;
}

/// Joins vectors, one after the other.
inline Tensor end_to_end(std::span<const Tensor> vectors) {
  std::int64_t size = 0;
  for (const Tensor& vector : vectors) size += vector.dims()[0];
  Tensor all(vectors[0].dtype(), {size});
  std::byte* to = all.mutable_bytes().data();
  for (const Tensor& vector : vectors) to = std::copy(vector.bytes().begin(), vector.bytes().end(), to);
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
      return rewriter.decline("the weights have different numbers of rows");
    widths.push_back(weights.back().dims()[1]);
  }
  Value& weight = rewriter.constant(side_by_side(weights), products[0]->input(1)->name());
  Value* merged = &rewriter.op("MatMul", {&x, &weight});
  std::vector<Node*> results(products.begin(), products.end());
  for (Node*& result : results) result = bias_of(*result);
  if (std::find(results.begin(), results.end(), nullptr) != results.end()) {
    results.assign(products.begin(), products.end());
  } else {
    std::vector<Tensor> biases;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const bool is_first = results[i]->input(0)->producer() == products[i];
      biases.push_back(*results[i]->input(is_first ? 1 : 0)->constant());
    }
    merged = &rewriter.op("Add", {merged, &rewriter.constant(end_to_end(biases), "bias")});
  }
  const std::int64_t axis = static_cast<std::int64_t>(x.shape().rank()) - 1;
  std::vector<Value*> inputs{merged};
  Attributes attributes{{"axis", axis}};
  if (x.graph().opset() >= 13) {
    inputs.push_back(&rewriter.ints(widths, "split"));
  } else {
    attributes.emplace_back("split", widths);
  }
  Node& split = rewriter.node("Split", inputs, products.size(), attributes);
  for (std::size_t i = 0; i < products.size(); ++i) {
    Value* const part = split.output(i);
    if (Verdict replaced = rewriter.replace(*results[i], std::span(&part, 1)); !replaced) {
      rewriter.rollback();
      return replaced;
    }
  }
  return rewriter.accept();
}

GRAFT_INLINE Report merge_all_matmuls(Graph& graph, Context& context) {
  Report report;
  Rewriter rewriter(graph, context);
  for (Graph* const scope : scopes_of(graph)) {
    std::unordered_map<const Value*, std::size_t> group_of;
    std::vector<std::vector<Node*>> groups;  // in the order of their first nodes
    for (Node& node : scope->nodes()) {
      if (!may_merge(node)) continue;
      const auto [place, fresh] = group_of.try_emplace(node.input(0), groups.size());
      if (fresh) groups.emplace_back();
      groups[place->second].push_back(&node);
    }
    for (const std::vector<Node*>& products : groups) {
      if (products.size() > 1 && merge_matmuls(products, rewriter)) ++report.changes;
    }
  }
  return report;
}

}  // namespace detail

GRAFT_INLINE Pass merge_matmuls() {
  return pass("merge_matmuls",
              [](Graph& graph, Context& context) {
                infer_shapes(graph, context.infer_options());
                return detail::merge_all_matmuls(graph, context);
              })
      .preserves_all();
}

namespace rules {

/// The extents of a stack of matrices.
struct MatrixStack {
  std::vector<Dim> batch;  // without leading 1
  Dim rows, columns;

  MatrixStack(const Shape& of, bool is_first) {
    batch = infer::to_dims(of);
    if (batch.size() == 1) batch.insert(is_first ? batch.begin() : batch.end(), Dim(1));
    columns = batch.back();
    rows = batch[batch.size() - 2];
    batch.resize(batch.size() - 2);
    batch.erase(batch.begin(), std::find_if(batch.begin(), batch.end(), [](const Dim& dim) { return dim != Dim(1); }));
  }
  bool is_one() const { return batch.empty(); }
  bool has_matrices_of(const MatrixStack& other) const {
    return same_size(rows, other.rows) && same_size(columns, other.columns);
  }
  bool has_batch_of(const MatrixStack& other) const { return same_size(Shape(batch), Shape(other.batch)); }
};

/// Whether p(a) times q(b) has the elements of a times b, in the same order.
inline bool multiplies_alike(const Shape& from_a, const Shape& from_b, const Shape& to_a, const Shape& to_b) {
  for (const Shape* const operand : {&from_a, &from_b, &to_a, &to_b})
    if (!operand->known() || operand->rank() == 0) return false;
  if (from_a.rank() == 1 && from_b.rank() == 1) return false;
  const MatrixStack first(from_a, true), second(from_b, false), as_first(to_a, true), as_second(to_b, false);
  if (!second.has_matrices_of(as_second) || !same_size(first.columns, as_first.columns)) return false;
  if (second.is_one() && as_second.is_one()) return true;
  if (!first.has_matrices_of(as_first)) return false;
  if (first.is_one() && as_first.is_one()) return true;
  return first.has_batch_of(second) && as_first.has_batch_of(as_second);
}

/// The input of the reshaping operator that made the value; nullptr if another operator made it.
inline Value* before_reshaping(Value& value) {
  const Node* const node = value.producer();
  return node != nullptr && reshapes_elements(*node) ? node->input(0) : nullptr;
}

inline constexpr auto reshape_matmul_reshape = rule<"reshape-matmul-reshape">(
    reshaping(op<"MatMul">(x, y).as(inner)).as(outer), [](const auto& m, Rewriter& rewriter) {
      Value *const before_x = before_reshaping(m[x]), *const before_y = before_reshaping(m[y]);
      const Shape wanted = m[outer].output(0)->shape();
      const std::pair<Value*, Value*> operands[] = {{before_x, before_y}, {before_x, &m[y]}, {&m[x], before_y}};
      for (const auto& [first, second] : operands) {
        if (first == nullptr || second == nullptr) continue;
        if (!multiplies_alike(first->shape(), second->shape(), m[x].shape(), m[y].shape())) continue;
        const auto product = infer::matmul_shape(first->shape(), second->shape());
        if (!product || !same_size(*product, wanted)) continue;
        return rewriter.replace(*m[outer].output(0), *rewriter.clone(m[inner], {first, second}).output(0));
      }
      return Verdict::no("without the reshapes the product may differ");
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView reshape_matmul_reshape = rules::reshape_matmul_reshape.view();

}  // namespace graft::inline v1
