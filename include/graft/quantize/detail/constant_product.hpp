#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>

namespace graft::inline v1::detail {

/// MatMul or Gemm of a tensor and a constant float32 matrix: alpha x w + beta bias, where x [..., K] and w [K, N] may
/// be transposed. w of a MatMul may have more dims in front.
struct ConstantProduct {
  Value* x = nullptr;
  Value* w = nullptr;
  bool transposes_x = false, transposes_w = false;
  float alpha = 1, beta = 1;
  Value* bias = nullptr;  ///< of a Gemm

  /// Of a node that is_product(); says why if it is another product.
  static Verdict read(const Node& node, ConstantProduct& product);
  /// Reads the whole weight.
  Verdict has_finite_weight() const;

  /// alpha w [..., K, N].
  Tensor weight() const;
  /// What is added to the product: a constant times beta where that is known; made before the node otherwise.
  Value* scaled_bias(Node& before) const;
  /// x, transposed before the node if need be.
  Value& activation(Node& before) const;
};

inline bool is_product(const Node& node) { return node.is("MatMul") || node.is("Gemm"); }

/// Puts what computes the same in the place of the node, under the names of its outputs, and takes the node away with
/// the constants that nobody else reads. The first node that computes a result gets the node's name.
void replace_node(Node& node, std::span<Value* const> results);
inline void replace_product(Node& node, Value& result) {
  Value* const results[] = {&result};
  replace_node(node, results);
}

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/detail/constant_product.ipp>
#endif
