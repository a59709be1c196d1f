#pragma once
#include <cstddef>

#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>

namespace graft::inline v1::detail {

/// The Add that is the only reader of a MatMul; nullptr if there is none.
inline const Node* sum_behind(const Value& product) {
  if (product.use_count() != 1 || product.is_graph_output()) return nullptr;
  const Node* const user = product.uses().front().user();
  const bool is_sum = user->is("Add") && user->input(0) != nullptr && user->input(1) != nullptr;
  return is_sum && user->output_count() != 0 && &user->graph() == &product.graph() ? user : nullptr;
}

/// The other operand of two.
inline Value* other_operand(const Node& node, const Value& operand) {
  return node.input(node.input(0) == &operand ? 1 : 0);
}

/// Whether ONNX Runtime merges a MatMul and the Add behind it into a Gemm: core/optimizer/matmul_add_fusion.cc. It
/// reshapes an input of known dims that is not a matrix.
inline bool merges_into_gemm(const Node& product, const Node& sum) {
  const Shape& x = product.input(0)->shape();
  const Shape& weight = product.input(1)->shape();
  const Shape& bias = other_operand(sum, *product.output(0))->shape();
  if (!x.known() || weight.rank() != 2) return false;
  if (bias.rank() == 1) return same_size(bias[0], weight[1]) && (x.rank() == 2 || x.dims());
  if (x.rank() != 2 || bias.rank() != 2) return false;
  const bool is_column = same_size(bias[0], x[0]) && bias[1] == Dim(1);
  return is_column || (same_size(bias[1], weight[1]) && (bias[0] == Dim(1) || same_size(bias[0], x[0])));
}

}  // namespace graft::inline v1::detail
