#pragma once
#include <cstddef>
#include <string_view>

#include <graft/graph/node.hpp>

namespace graft::inline v1::qonnx::detail {

/// Where a quantized operator has its inputs, and what it is in floats.
struct QuantizedOperator {
  std::string_view op, float_op;  ///< with the domain
  std::size_t operands;           ///< each with scale and zero point, from input 0 on; 0: Concat
  std::size_t result;             ///< the position of the result's scale
  std::size_t bias = 0;           ///< the position of the bias; 0: it takes none
};

inline constexpr QuantizedOperator quantized_operators[] = {
    {"QLinearConv", "Conv", 2, 6, 8},
    {"QLinearMatMul", "MatMul", 2, 6},
    {"com.microsoft::QLinearConv", "Conv", 2, 6, 8},
    {"com.microsoft::QGemm", "Gemm", 2, 7, 6},
    {"com.microsoft::QLinearAdd", "Add", 2, 6},
    {"com.microsoft::QLinearMul", "Mul", 2, 6},
    {"com.microsoft::QLinearAveragePool", "AveragePool", 1, 3},
    {"com.microsoft::QLinearGlobalAveragePool", "GlobalAveragePool", 1, 3},
    {"com.microsoft::QLinearSigmoid", "Sigmoid", 1, 3},
    {"com.microsoft::QLinearLeakyRelu", "LeakyRelu", 1, 3},
    {"com.microsoft::QLinearConcat", "Concat", 0, 0},
};

/// nullptr: it is none of them.
inline const QuantizedOperator* quantized_operator(const Node& node) {
  for (const QuantizedOperator& row : quantized_operators)
    if (node.is(row.op)) return &row;
  return nullptr;
}

/// Whether the node computes on quantized tensors, with or without a row above.
inline bool is_quantized_operator(const Node& node) {
  return quantized_operator(node) != nullptr ||
         (node.domain() == "com.microsoft" && node.op_type().starts_with("QLinear"));
}

}  // namespace graft::inline v1::qonnx::detail
