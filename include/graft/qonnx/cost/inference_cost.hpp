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
  /// Leaves out products with a weight of 0, and those weights.
  bool discount_sparsity = true;
  /// Counts activations that are integers times a scale as FLOAT32, which holds them; not weights. Table III of the
  /// QONNX paper counts so, without the discount.
  bool scaled_activations_as_float = false;
};

struct NodeCost {
  std::string node, op_type;
  Cost cost{};
};

struct InferenceCost {
  Cost total{};
  std::vector<NodeCost> nodes{};  ///< nodes with a cost, in the order of the graph
  struct Uncounted {
    std::string node, why;
  };
  std::vector<Uncounted> uncounted{};  ///< products of unknown shapes
  /// Other operators that multiply, or are unknown, and the number of each: they are not counted.
  std::map<std::string, std::size_t> other_operators{};
};

/// Counts the costs of one inference, in the graph and its bodies; a body counts once. Initializers count as constants,
/// even if callers may override them. Nodes whose inputs are all constants cost nothing: a weight behind a Quant is a
/// weight.
///
///     Conv          N * (M / group) * C * kernel * output pixels MACs
///     MatMul, Gemm  K * output elements MACs; likewise QLinearConv, ConvInteger, QLinearMatMul, MatMulInteger, QGemm
///     Upsample      2 * scaled axes * output elements MACs if linear, else none
///
/// Each has an output in memory, and a weight if one operand of the product is constant. If both are variable, the
/// second counts as the weight by type, without memory. These are the rules of QONNX's inference_cost, with two
/// differences: that does not know integer operators, and for a weight that is the first input of a MatMul, this uses
/// the type of the weight. Integers without a known type have the bits of their dtype, and a weight that equals its
/// zero point counts as 0.
InferenceCost inference_cost(Graph& graph, const DataTypes& types, const InferenceCostOptions& options = {});
/// Uses the types that infer_data_types() infers.
InferenceCost inference_cost(Graph& graph, const InferenceCostOptions& options = {});

/// A table with a line for each node, the total, and the operators that were not counted.
std::string to_string(const InferenceCost& cost);
std::ostream& operator<<(std::ostream& out, const InferenceCost& cost);

}  // namespace graft::inline v1::qonnx
