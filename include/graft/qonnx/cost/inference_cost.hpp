#pragma once
#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/qonnx/cost/cost.hpp>
#include <graft/qonnx/datatype/data_types.hpp>

namespace graft::inline v1::qonnx {

struct InferenceCostOptions {
  /// A product with a weight of 0 costs nothing, nor does that weight.
  bool discount_sparsity = true;
  /// Activations that are integers times a scale count as the FLOAT32 that holds them, weights do not. So counts Table
  /// III of the QONNX paper, without the discount.
  bool scaled_activations_as_float = false;
};

struct NodeCost {
  std::string node, op_type;
  Cost cost{};
};

struct InferenceCost {
  Cost total{};
  std::vector<NodeCost> nodes{};  ///< those that cost something, in the order of the graph
  struct Uncounted {
    std::string node, why;
  };
  std::vector<Uncounted> uncounted{};  ///< products whose shapes are not known
  /// Other operators that multiply, or are not known, and how many there are of each: they are not counted.
  std::map<std::string, std::size_t> other_operators{};
};

/// Counts what one inference costs, in the graph and in the bodies in it; a body counts once. Initializers count as
/// constants, whether a caller could override them or not. What is computed from constants alone costs nothing: a
/// weight behind a Quant is a weight.
///
///     Conv          N * (M / group) * C * kernel * output pixels MACs
///     MatMul, Gemm  K * output elements MACs; as they, QLinearConv, ConvInteger, QLinearMatMul, MatMulInteger, QGemm
///     Upsample      2 * scaled axes * output elements MACs if it is linear, else none
///
/// Each of them has an output in memory, and a weight if one side of the product is constant. Where both sides are
/// computed, the second counts as the weight by type, and takes no memory. These are the rules of QONNX's
/// inference_cost, which does not know operators on integers, except for a weight that is the first input of a MatMul,
/// whose type here is that of the weight. Integers of which no type is known have as many bits as their dtype, and a
/// weight counts as 0 where it is its zero point.
InferenceCost inference_cost(Graph& graph, const DataTypes& types, const InferenceCostOptions& options = {});
/// With the types that infer_data_types() infers.
InferenceCost inference_cost(Graph& graph, const InferenceCostOptions& options = {});

/// A table: a line for each node, the total, and what was not counted.
std::string to_string(const InferenceCost& cost);
std::ostream& operator<<(std::ostream& out, const InferenceCost& cost);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/cost/inference_cost.ipp>
#endif
