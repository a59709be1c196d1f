#pragma once
#include <graft/quantize/detail/constant_product.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/permuted.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/shape.hpp>
#include <graft/qdq/drop.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/qdq/has_result.hpp>
#include <graft/qdq/qdq.hpp>

namespace graft::inline v1::detail {

/// The matrix of which the value is the transpose; nullptr if it is none.
inline Value* transposed_matrix(const Value& value) {
  const Node* const node = value.producer();
  if (node == nullptr || !node->is("Transpose") || !node->input(0)->is_constant()) return nullptr;
  const std::optional<Tensor> matrix = node->input(0)->constant();
  const Ints order = node->attr<Ints>("perm").value_or(Ints{1, 0});
  return matrix && matrix->rank() == 2 && order == Ints{1, 0} ? node->input(0) : nullptr;
}

GRAFT_INLINE Value* constant_weight(const Node& product) {
  Value* const operand = product.input(1);
  if (operand == nullptr || operand->is_constant()) return operand;
  return transposed_matrix(*operand);
}

GRAFT_INLINE Verdict ConstantProduct::read(const Node& node, ConstantProduct& product) {
  product = {};
  if (!has_result(node)) return Verdict::no("nothing reads it");
  product.x = node.input(0);
  if (node.is("Gemm")) {
    product.transposes_x = node.attr<std::int64_t>("transA").value_or(0) != 0;
    product.transposes_w = node.attr<std::int64_t>("transB").value_or(0) != 0;
    product.alpha = node.attr<float>("alpha").value_or(1);
    product.beta = node.attr<float>("beta").value_or(1);
    product.bias = product.beta != 0 ? node.input(2) : nullptr;
  }
  if (product.x == nullptr || node.input(1) == nullptr) return Verdict::no("it lacks an operand");
  product.w = constant_weight(node);
  if (product.w != node.input(1)) product.transposes_w = !product.transposes_w;
  if (product.w == nullptr)
    return Verdict::no(product.x->is_constant() ? "its constant is the first operand" : "no operand is constant");
  if (product.x->is_constant()) return Verdict::no("both operands are constant");
  const std::optional<Tensor> w = product.w->constant();
  if (!w || w->dtype() != DType::f32) return Verdict::no("its weight is not of float32");
  if (w->rank() < 2) return Verdict::no("its weight is a vector");
  if (w->size() == 0) return Verdict::no("its weight is empty");
  if (product.alpha == 0) return Verdict::no("it is multiplied by 0");
  return Verdict::yes();
}

GRAFT_INLINE Verdict ConstantProduct::has_finite_weight() const {
  return extent_of(w->constant()->data<float>()).finite ? Verdict::yes()
                                                        : Verdict::no("its weight holds a value that is not finite");
}

/// alpha w, transposed or not.
inline Tensor scaled_weight(const ConstantProduct& product, bool transposes) {
  Tensor matrix = product.w->constant().value();
  if (transposes) matrix = permuted(matrix, {1, 0});
  if (product.alpha == 1) return matrix;
  std::vector<float> values = matrix.to<float>();
  for (float& value : values) value *= product.alpha;
  return Tensor::of<float>(matrix.dims(), values);
}

GRAFT_INLINE Tensor ConstantProduct::weight() const { return scaled_weight(*this, transposes_w); }
GRAFT_INLINE Tensor ConstantProduct::rows() const { return scaled_weight(*this, !transposes_w); }

GRAFT_INLINE std::vector<Node*> products_of(const Value& constant) {
  std::vector<Node*> products;
  const auto add = [&](const Value& operand) {
    for (const Use& use : operand.uses())
      if (!use.is_graph_output() && is_product(*use.user())) products.push_back(use.user());
  };
  add(constant);
  for (const Use& use : constant.uses())
    if (!use.is_graph_output() && use.user()->is("Transpose")) add(*use.user()->output(0));
  return products;
}

GRAFT_INLINE Value* ConstantProduct::scaled_bias(Node& before) const {
  if (bias == nullptr || beta == 1) return bias;
  Graph& graph = before.graph();
  const std::string hint = std::string(bias->name()) + "_scaled";
  const std::optional<Tensor> constant = bias->constant();
  if (!constant)
    return graph.insert("Mul", {bias, &graph.add_initializer(Tensor::scalar(beta), "beta")}, 1, {}, &before, hint)
        .output(0);
  std::vector<float> values = constant->to<float>();
  for (float& value : values) value *= beta;
  return &graph.add_initializer(Tensor::of<float>(constant->dims(), values), hint);
}

GRAFT_INLINE Value& ConstantProduct::activation(Node& before) const {
  if (!transposes_x) return *x;
  return *before.graph()
              .insert("Transpose", {x}, 1, {{"perm", Ints{1, 0}}}, &before, std::string(x->name()) + "_transposed")
              .output(0);
}

GRAFT_INLINE void replace_node(Node& node, std::span<Value* const> results) {
  Graph& graph = node.graph();
  const std::vector<Value*> inputs(node.inputs().begin(), node.inputs().end());
  std::vector<std::string> names;
  const std::string node_name(node.name());
  for (std::size_t i = 0; i < results.size(); ++i) {
    Value& y = *node.output(i);
    names.emplace_back(y.name());
    if (names.back().empty()) continue;
    graph.declare_type(*results[i], tensor_type(DType::f32, y.shape()));
    for (Use& use : y.uses()) {
      if (use.is_graph_output())
        use.graph().set_output(use.index(), *results[i]);
      else
        rewire(use, *results[i]);
    }
  }
  graph.erase(node);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (names[i].empty())
      graph.omit(*results[i]);
    else
      graph.rename(*results[i], names[i]);
  }
  if (!node_name.empty()) graph.rename(*results.front()->producer(), node_name);
  for (Value* const input : inputs) drop_unused(input);
}

}  // namespace graft::inline v1::detail
