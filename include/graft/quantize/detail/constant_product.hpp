#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>

namespace graft::inline v1::detail {

/// MatMul or Gemm of a tensor and a constant float32 matrix: alpha x w + beta bias. x [..., K] and w [K, N] may be
/// transposed. w of a MatMul may have more leading dims.
struct ConstantProduct {
  Value* x = nullptr;
  Value* w = nullptr;  ///< the node's operand, or the constant matrix that a Transpose in front of it reads
  bool transposes_x = false, transposes_w = false;
  float alpha = 1, beta = 1;
  Value* bias = nullptr;  ///< of a Gemm

  /// Reads a node for which is_product() holds; returns the reason if it is another product.
  static Verdict read(const Node& node, ConstantProduct& product);
  /// Reads the whole weight.
  Verdict has_finite_weight() const;

  /// alpha w [..., K, N].
  Tensor weight() const;
  /// alpha w of one matrix, [N, K]: a row for each output.
  Tensor rows() const;
  /// The operand that is added to the product: a constant that includes beta if the bias is constant; otherwise
  /// computed before the node.
  Value* scaled_bias(Node& before) const;
  /// x, with a Transpose before the node if needed.
  Value& activation(Node& before) const;
};

inline bool is_product(const Node& node) { return node.is("MatMul") || node.is("Gemm"); }

/// The constant that a product reads as its second operand, or whose transpose it reads; nullptr if there is none.
Value* constant_weight(const Node& product);

/// The nodes for which is_product() holds and that read the constant as an operand, or a Transpose of it.
std::vector<Node*> products_of(const Value& constant);

/// Replaces the node by nodes that compute the same, under the names of its outputs. Removes the node and constants
/// without other readers. The first node that computes a result gets the node's name.
void replace_node(Node& node, std::span<Value* const> results);
inline void replace_product(Node& node, Value& result) {
  Value* const results[] = {&result};
  replace_node(node, results);
}

}  // namespace graft::inline v1::detail
