#pragma once
#include <graft/testing/detail/grow/recipe.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/testing/detail/grow/node_maker.hpp>

// Quantized tensors, and operators on them.

namespace graft::inline v1::detail {

/// Scale and zero point of operand i are operands i + 1 and i + 2.
inline void make_qparams(NodeMaker& node, std::size_t scale, const Dims& dims, DType dtype, DType real = DType::f32) {
  node.weight(scale, dims, {0.02, 0.1}, real);
  if (!node.wanted(scale + 1)) return;
  if (node.is_given(scale + 1)) return;
  const double zero = dtype == DType::i32 || is_signed(dtype) || node.dice().one_in(2) ? 0 : 3;
  std::vector<double> zeros(static_cast<std::size_t>(element_count(dims)), zero);
  node.constant(scale + 1, Tensor::of(dtype, dims, zeros));
}

inline void make_quantize(NodeMaker& node) {
  const Value& x = node.value(0, Want{.exact = true}.of(float_bits));
  if (node.version() < 13 || node.facts().domain() != "" || node.dice().one_in(2) || NodeMaker::rank(x) < 2) {
    make_qparams(node, 1, {}, node.dice().any_of({DType::u8, DType::i8}), x.dtype());
    return;
  }
  const std::size_t axis = node.dice().below(NodeMaker::rank(x));
  if (!x.shape()[axis].known()) throw Unfit();
  make_qparams(node, 1, {x.shape()[axis].value()}, node.dice().any_of({DType::u8, DType::i8}), x.dtype());
  node.set("axis", static_cast<std::int64_t>(axis));
}

inline void make_dequantize(NodeMaker& node) {
  if (node.is_free && !node.is_given(0) && node.dice().one_in(2)) {
    NodeMaker before(node.grower(), "QuantizeLinear");
    make_quantize(before);
    node.operands = {{NodeOperand::Kind::given, before.finish().output(0)}};
  }
  const Value& x = node.value(0);
  make_qparams(node, 1, {}, x.dtype());
}

inline void make_dynamic_quantize(NodeMaker& node) {
  node.value(0, {.exact = true});
  node.outputs = 3;
}

inline void make_matmul_integer(NodeMaker& node) {
  const Value& x = node.value(0, {.least_rank = 2});
  const std::int64_t depth = NodeMaker::extent_from_end(x, 1);
  node.weight(1, {depth, 3}, {-10, 10}, node.dice().any_of({DType::i8, DType::u8}));
  if (node.wanted(2)) node.constant(2, Tensor::of(x.dtype(), {}, {2.0}));
}

inline void make_qlinear_matmul(NodeMaker& node) {
  const Value& x = node.value(0, Want{.least_rank = 2}.of(dtype_bit(DType::u8) | dtype_bit(DType::i8)));
  const std::int64_t depth = NodeMaker::extent_from_end(x, 1);
  make_qparams(node, 1, {}, x.dtype());
  node.weight(3, {depth, 3}, {-10, 10}, DType::i8);
  make_qparams(node, 4, {}, DType::i8);
  make_qparams(node, 6, {}, x.dtype());
}

/// QONNX: Quant and BipolarQuant of any float.
inline void make_quant(NodeMaker& node) {
  node.value(0, Want{.exact = true}.of(dtype_bit(DType::f32)));
  node.constant(1, Tensor::of(DType::f32, {}, {node.dice().any_of({0.25, 0.5, 0.125})}));
  if (OpName::parse(node.op()).op_type == "BipolarQuant") return;
  node.constant(2, Tensor::of(DType::f32, {}, {0.0}));
  node.constant(3, Tensor::of(DType::f32, {}, {node.dice().any_of({8.0, 4.0, 3.0})}));
  node.set("signed", node.dice().one_in(2) ? 1 : 0);
  node.set("narrow", node.dice().one_in(4) ? 1 : 0);
  node.set("rounding_mode", node.dice().any_of({"ROUND", "ROUND", "FLOOR", "CEIL"}));
}

GRAFT_INLINE std::span<const Recipe> quantization_recipes() {
  static constexpr Recipe all[] = {
      {"QuantizeLinear|com.microsoft::QuantizeLinear", make_quantize},
      {"DequantizeLinear|com.microsoft::DequantizeLinear", make_dequantize},
      {"DynamicQuantizeLinear", make_dynamic_quantize},
      {"MatMulInteger", make_matmul_integer},
      {"QLinearMatMul", make_qlinear_matmul},
      {"qonnx.custom_op.general::Quant|qonnx.custom_op.general::BipolarQuant", make_quant}};
  return all;
}

}  // namespace graft::inline v1::detail
