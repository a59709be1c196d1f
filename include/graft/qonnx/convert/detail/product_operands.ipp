#pragma once
#include <graft/qonnx/convert/detail/product_operands.hpp>

#include <algorithm>
#include <cstdint>

#include <graft/config.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qonnx/convert/detail/clamp.hpp>

namespace graft::inline v1::qonnx::detail {

GRAFT_INLINE bool is_product(const Node& node) {
  return (node.is("Conv") || node.is("MatMul") || node.is("Gemm")) && node.output_count() == 1;
}

inline bool is_dequantized(const Value* value) {
  return value != nullptr && value->producer() != nullptr && is_dequantize(*value->producer());
}

GRAFT_INLINE bool touches_quantizers(const Node& node) {
  for (const std::size_t i : {0U, 1U}) {
    if (is_dequantized(node.input(i))) return true;
  }
  const UserRange users = clamped_behind(*node.output(0)).value->users();
  return std::any_of(users.begin(), users.end(), [](const Node& user) { return is_quantize(user); });
}

GRAFT_INLINE bool is_bias_row(const Shape& shape) {
  return shape.known() && (shape.rank() == 1 || (shape.rank() == 2 && shape[0].known() && shape[0].value() == 1));
}

/// The axis of the weight that is not summed over.
inline std::size_t output_axis(const Node& node, std::size_t rank) {
  if (node.is("Conv")) return 0;
  return node.is("Gemm") && node.attr<std::int64_t>("transB").value_or(0) != 0 ? 0 : rank - 1;
}

GRAFT_INLINE Verdict read_product(const Node& node, ProductOperands& product) {
  if (node.is("Gemm") && (node.attr<float>("alpha") != 1.0F || node.attr<float>("beta") != 1.0F))
    return Verdict::no("its alpha or beta is not 1");
  const bool has_x = is_dequantized(node.input(0)), has_w = is_dequantized(node.input(1));
  if (!has_x && !has_w) return Verdict::no("neither its input nor its weight is quantized");
  if (!has_x) return Verdict::no("only its weight is quantized, not its input");
  if (!has_w) return Verdict::no("only its input is quantized, not its weight");
  if (Verdict read = read_operand(*node.input(0)->producer(), product.x); !read) return read;
  if (product.x.axis) return Verdict::no("its input has several scales");
  if (Verdict read = read_operand(*node.input(1)->producer(), product.w); !read) return read;
  const Shape shape = product.w.data->shape();
  if (!shape.known() || shape.rank() < 2) return Verdict::no("its weight is not known to have two dims or more");
  product.channel_axis = output_axis(node, shape.rank());
  if (const Dim extent = shape[product.channel_axis]; extent.known())
    product.channels = static_cast<std::size_t>(extent.value());
  if (!product.w.axis) return Verdict::yes();
  if (node.is("MatMul") && shape.rank() != 2) return Verdict::no("its weight has several scales, and is not a matrix");
  return *product.w.axis == product.channel_axis ? Verdict::yes()
                                                 : Verdict::no("the scales of its weight are not of output channels");
}

}  // namespace graft::inline v1::qonnx::detail
