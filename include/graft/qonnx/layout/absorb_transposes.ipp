#pragma once
#include <graft/qonnx/layout/absorb_transposes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/detail/elementwise.hpp>
#include <graft/qonnx/detail/moved_constants.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/detail/quantized_constant.hpp>
#include <graft/qonnx/detail/transposes.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// Whether the node has one variable input, other inputs of one element, and one reader.
inline bool is_passed(const Node& node) {
  if (!is_elementwise(node) || !node.output(0)->has_one_use() || node.input(0) == nullptr) return false;
  for (std::size_t i = 1; i < node.input_count(); ++i) {
    const std::optional<Tensor> operand = node.input(i) != nullptr ? node.input(i)->constant() : std::nullopt;
    if (node.input(i) != nullptr && (!operand || operand->size() != 1 || operand->rank() > 1)) return false;
  }
  return true;
}

/// Permutes the rows of a weight, which are those of a flattened tensor of these extents. nullptr if it is not
/// possible.
inline Value* rows_in_order(Value& weight, std::size_t axis, const Dims& extents, const Ints& order,
                            Rewriter& rewriter) {
  const auto rows = [&](const Tensor& x, bool) -> std::optional<Tensor> {
    if (x.rank() != 2) return std::nullopt;
    if (x.dims()[axis] == 1 && extents.size() > 0) return x;
    Dims split = extents;
    Ints moved;
    for (const std::int64_t at : order) moved.push_back(at + static_cast<std::int64_t>(axis));
    split.insert(axis == 0 ? split.end() : split.begin(), x.dims()[1 - axis]);
    moved.insert(axis == 0 ? moved.end() : moved.begin(), axis == 0 ? std::ssize(extents) : std::int64_t{0});
    if (element_count(split) != x.size()) return std::nullopt;
    const std::optional<Tensor> result = permuted(x.reshaped(split), moved);
    return result ? std::optional(result->reshaped(x.dims())) : std::nullopt;
  };
  return edited_weight(weight, rows, [](std::int64_t same) { return same; }, rewriter);
}

inline Verdict absorb_transpose(Node& product, Rewriter& rewriter) {
  if (!product.is("MatMul") && !product.is("Gemm")) return not_concerned();
  std::vector<Node*> passed;
  Node* node = product.input(0)->producer();
  for (; node != nullptr && is_passed(*node); node = node->input(0)->producer()) passed.push_back(node);
  if (node == nullptr || (!node->is("Flatten") && !node->is("Reshape"))) return not_concerned();
  const Node* const transpose = transpose_before(*node->input(0));
  if (transpose == nullptr) return not_concerned();
  const Ints order = *order_of(*transpose);
  const Shape from = node->input(0)->shape(), flat = node->output(0)->shape();
  if (!from.known() || from.rank() != order.size() || flat.rank() != 2 || order.empty() || order.front() != 0 ||
      !same_size(from[0], flat[0]))
    return Verdict::no("it does not flatten all axes except the first");
  if (product.attr<std::int64_t>("transA").value_or(0) != 0) return Verdict::no("it transposes its input");
  if (product.input(1) == nullptr || !is_weight(*product.input(1))) return Verdict::no("its weight is not constant");
  Dims extents;
  Ints back;
  for (std::size_t i = 1; i < from.rank(); ++i) {
    if (!from[i].known()) return Verdict::no("the extents are not known");
    extents.push_back(from[i].value());
  }
  const Ints inverted = inverse(order);
  for (std::size_t i = 1; i < inverted.size(); ++i) back.push_back(inverted[i] - 1);
  const std::size_t axis = product.attr<std::int64_t>("transB").value_or(0) != 0 ? 1 : 0;
  Value* const weight = rows_in_order(*product.input(1), axis, extents, back, rewriter);
  if (weight == nullptr) return Verdict::no("the rows of its weight cannot be permuted");
  std::vector<Value*> inputs{transpose->input(0)};
  if (node->is("Reshape")) {  // a target may copy extents by 0
    const auto count = element_count(extents);
    const Ints target = flat[0].known() ? Ints{flat[0].value(), -1} : Ints{-1, count};
    inputs.push_back(&rewriter.ints(target, ""));
  }
  Value* value = rewriter.clone(*node, inputs).output(0);
  for (auto at = passed.rbegin(); at != passed.rend(); ++at) {
    Node* const step = *at;
    inputs.assign(step->inputs().begin(), step->inputs().end());
    inputs[0] = value;
    value = rewriter.clone(*step, inputs).output(0);
  }
  inputs.assign(product.inputs().begin(), product.inputs().end());
  inputs[0] = value;
  inputs[1] = weight;
  return rewriter.replace(*product.output(0), *rewriter.clone(product, inputs).output(0));
}

}  // namespace detail

GRAFT_INLINE Pass absorb_transposes() { return detail::node_sweep("absorb_transposes", detail::absorb_transpose); }

}  // namespace graft::inline v1::qonnx
