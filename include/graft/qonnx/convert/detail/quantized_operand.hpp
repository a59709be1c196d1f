#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx::detail {

/// Integers with their q-params, as a DequantizeLinear and integer operators read them.
struct QuantizedOperand {
  Value* data = nullptr;
  Value* scale_value = nullptr;
  Value* zero_point_value = nullptr;  ///< nullptr: 0
  Tensor scale, zero_point;           ///< one for all, or one for each index of the axis
  std::optional<std::size_t> axis{};  ///< set if there are several

  DType dtype() const { return zero_point.dtype(); }
  bool has_one_zero_point() const;

  /// The q-params as inputs; of rank 0 if there is one for all.
  Value& scale_input(Rewriter& rewriter) const;
  Value& zero_point_input(Rewriter& rewriter) const;
};

/// The input of a DequantizeLinear: integers of 8 bits, or constant ones of fewer, with constant q-params. The zero
/// point has the 8-bit dtype.
Verdict read_operand(const Node& dequantize, QuantizedOperand& operand);

/// Converts constant integers of fewer bits to 8 bits.
void widen(QuantizedOperand& operand, Rewriter& rewriter);

/// The same integers, minus their zero point, in uint8: adds 128 to constant int8 ones. Others stay.
void make_uint8(QuantizedOperand& operand, Rewriter& rewriter);

/// The scale of the sums of products: the product of the scales, one or one for each channel.
std::vector<float> product_scales(const QuantizedOperand& x, const QuantizedOperand& w);

/// The greatest magnitude that a sum of products can have, for each channel of a constant weight. Channels are the
/// indices of the axis; sums are over all other axes. nullopt if the weight is not constant.
std::optional<std::vector<double>> greatest_sums(const QuantizedOperand& w, std::size_t axis);

/// Whether sums of products and a bias stay within int32. Unknown weights count as fitting.
Verdict fit_int32(const QuantizedOperand& w, std::size_t axis, const std::optional<Tensor>& bias = std::nullopt);

/// The constant value, or the result of a DequantizeLinear of constants, in float64; nullopt for others.
std::optional<std::vector<double>> constant_numbers(const Value& value);

/// The positions of a quantized operator's inputs, and its float operator.
struct QuantizedOperator {
  std::string_view op, float_op;  ///< with the domain
  std::size_t operands;           ///< number of operands, each with scale and zero point, from input 0 on; 0: Concat
  std::size_t result;             ///< the position of the result's scale
  std::size_t bias = 0;           ///< the position of the bias; 0: there is none
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

/// nullptr for other operators.
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
