#pragma once
#include <graft/qonnx/convert/qdq_to_integer_operators.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/convert/detail/node_conversions.hpp>
#include <graft/qonnx/convert/detail/product_operands.hpp>
#include <graft/qonnx/convert/detail/quantized_operand.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

inline Tensor transposed_matrix(const Tensor& matrix) {
  const std::vector<std::int32_t> values = matrix.to<std::int32_t>();
  const auto rows = static_cast<std::size_t>(matrix.dims()[0]), columns = static_cast<std::size_t>(matrix.dims()[1]);
  std::vector<std::int32_t> result(values.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      result[column * rows + row] = values[row * columns + column];
  return Tensor::of<std::int32_t>(matrix.dtype(), {matrix.dims()[1], matrix.dims()[0]}, result);
}

/// One number for all, or one for each channel, shaped for the axes behind the channels.
inline Tensor along_channels(const std::vector<float>& numbers, bool is_conv, std::size_t rank) {
  if (numbers.size() == 1) return Tensor::scalar(numbers[0]);
  Dims dims(is_conv ? rank - 1 : 1, 1);
  dims[0] = static_cast<std::int64_t>(numbers.size());
  return Tensor::of<float>(dims, numbers);
}

inline Verdict check_integer_kernels(const ProductOperands& product) {
  if (product.x.dtype() == DType::i8 && product.w.dtype() == DType::u8)
    return Verdict::no("ONNX Runtime 1.24 computes a ConvInteger of int8 and uint8 weights wrong");
  return product.w.has_one_zero_point()
             ? Verdict::yes()
             : Verdict::no("ONNX Runtime 1.24 refuses a ConvInteger whose weights have several zero points");
}

inline Verdict to_integer_operator(Node& node, const IntegerOptions& options, Rewriter& rewriter) {
  ProductOperands product;
  if (Verdict read = read_product(node, product); !read) return read;
  const bool is_conv = node.is("Conv");
  const std::optional<Tensor> weight = product.w.data->constant();
  if (!weight) return Verdict::no("its weight is not constant");
  if (is_conv)
    if (Verdict has = check_integer_kernels(product); !has) return has;
  if (Verdict fits = fit_int32(product.w, product.channel_axis); !fits) return fits;
  if (node.is("Gemm") && node.attr<std::int64_t>("transA").value_or(0) != 0)
    return Verdict::no("it transposes its input");
  std::optional<std::vector<double>> bias;
  if (node.input(2) != nullptr) {
    bias = constant_numbers(*node.input(2));
    if (!bias) return Verdict::no("its bias is not constant");
    if (bias->size() != 1 && (bias->size() != product.channels || !is_bias_row(node.input(2)->shape())))
      return Verdict::no("its bias does not have one number for each channel");
  }

  QuantizedOperand w = product.w;
  for (QuantizedOperand* const operand : {&product.x, &w}) widen(*operand, rewriter);
  if (options.uint8_weights && product.x.dtype() == DType::u8) make_uint8(w, rewriter);
  if (w.axis && w.has_one_zero_point()) {  // one number, which every runtime accepts
    w.zero_point = Tensor::of<std::int32_t>(w.dtype(), {}, {w.zero_point.to<std::int32_t>()[0]});
    w.zero_point_value = &rewriter.constant(w.zero_point, std::string(w.data->name()) + "_zero_point");
    w.axis.reset();
  }
  if (node.is("Gemm") && product.channel_axis == 0) {
    const std::string name = std::string(w.data->name()) + "_transposed";
    w.data = &rewriter.constant(transposed_matrix(w.data->constant().value()), name);
  }
  Value* const inputs[] = {product.x.data, w.data, &product.x.zero_point_input(rewriter),
                           &w.zero_point_input(rewriter)};
  Value& sums = operator_like(rewriter, node, is_conv ? "ConvInteger" : "MatMulInteger", inputs,
                              {"alpha", "beta", "transA", "transB"});
  Value& floats = rewriter.op("Cast", {&sums}, {{"to", DType::f32}});
  const std::vector<float> scales = product_scales(product.x, product.w);
  const std::string hint(product.w.data->name());
  Value* result = &rewriter.op(
      "Mul", {&floats, &rewriter.constant(along_channels(scales, is_conv, weight->rank()), hint + "_factor")});
  if (bias) {
    const std::vector<float> numbers(bias->begin(), bias->end());
    result = &rewriter.op(
        "Add", {result, &rewriter.constant(along_channels(numbers, is_conv, weight->rank()), hint + "_bias")});
  }
  return rewriter.replace(*node.output(0), *result);
}

}  // namespace detail

GRAFT_INLINE Pass qdq_to_integer_operators(const IntegerOptions& options) {
  return detail::convert_nodes("qdq_to_integer_operators", [options](Node& node, Rewriter& rewriter) {
    if (node.is("ConvTranspose") && detail::touches_quantizers(node))
      return Verdict::no("there is no ConvTranspose of integers");
    if (!detail::is_product(node) || !detail::touches_quantizers(node)) return detail::not_concerned();
    return detail::to_integer_operator(node, options, rewriter);
  });
}

}  // namespace graft::inline v1::qonnx
