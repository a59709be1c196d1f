#pragma once
#include <graft/qonnx/convert/detail/quantized_operand.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <graft/config.hpp>
#include <graft/graph/shape.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/quantized_constant.hpp>

namespace graft::inline v1::qonnx::detail {

GRAFT_INLINE bool QuantizedOperand::has_one_zero_point() const {
  const std::vector<std::int32_t> all = zero_point.to<std::int32_t>();
  return std::ranges::all_of(all, [&](std::int32_t each) { return each == all[0]; });
}

GRAFT_INLINE Value& QuantizedOperand::scale_input(Rewriter& rewriter) const {
  if (axis || scale.rank() == 0) return *scale_value;
  return rewriter.constant(scale.reshaped({}), std::string(scale_value->name()));
}

GRAFT_INLINE Value& QuantizedOperand::zero_point_input(Rewriter& rewriter) const {
  if (zero_point_value != nullptr && (axis || zero_point.rank() == 0)) return *zero_point_value;
  const std::string hint =
      zero_point_value != nullptr ? std::string(zero_point_value->name()) : std::string(data->name()) + "_zero_point";
  return rewriter.constant(axis ? zero_point : zero_point.reshaped({}), hint);
}

GRAFT_INLINE Verdict read_operand(const Node& dequantize, QuantizedOperand& operand) {
  const DType dtype = quantized_dtype(dequantize);
  const bool is_narrow = is_integer(dtype) && bits(dtype) < 8 && dequantize.input(0)->is_constant();
  if (dtype != DType::u8 && dtype != DType::i8 && !is_narrow) {
    if (!is_integer(dtype)) return Verdict::no("its input is not quantized to integers");
    return Verdict::no(
        Reason{"its input has {} bits, and integer operators need 8", "bits", {static_cast<double>(bits(dtype))}, 1});
  }
  std::optional<Tensor> scale = graft::detail::constant_input(dequantize, 1),
                        zero_point = graft::detail::constant_input(dequantize, 2);
  if (!scale || (dequantize.input(2) != nullptr && !zero_point)) return Verdict::no("its q-params are not constant");
  if (scale->dtype() != DType::f32) return Verdict::no("its scales are not float32");
  if (dequantize.attr<std::int64_t>("block_size").value_or(0) != 0) return Verdict::no("its scales are of blocks");
  if (!zero_point) zero_point = Tensor(dtype, scale->dims());
  if (zero_point->size() != scale->size()) return Verdict::no("it has more or fewer zero points than scales");
  for (const float each : scale->data<float>())
    if (!(each > 0) || !std::isfinite(each)) return Verdict::no("a scale of it is not positive and finite");
  operand = {dequantize.input(0), dequantize.input(1), dequantize.input(2), *std::move(scale), *std::move(zero_point)};
  if (is_narrow) {
    const DType wide = lowest(dtype) < 0 ? DType::i8 : DType::u8;
    const Tensor& narrow = operand.zero_point;
    operand.zero_point = Tensor::of<std::int32_t>(wide, narrow.dims(), narrow.to<std::int32_t>());
    operand.zero_point_value = nullptr;
  }
  if (operand.scale.size() == 1) return Verdict::yes();
  const Shape shape = operand.data->shape();
  if (operand.scale.rank() != 1 || !shape.known()) return Verdict::no("the axis of its scales is not known");
  const auto rank = static_cast<std::int64_t>(shape.rank());
  const std::int64_t axis = dequantize.attr<std::int64_t>("axis").value_or(1);
  operand.axis = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  if (*operand.axis >= shape.rank()) return Verdict::no("the axis of its scales is outside of its rank");
  const Dim extent = shape[*operand.axis];
  if (!extent.known() || extent.value() != operand.scale.size())
    return Verdict::no("it needs one scale for each index of the axis");
  return Verdict::yes();
}

GRAFT_INLINE void widen(QuantizedOperand& operand, Rewriter& rewriter) {
  const std::optional<Tensor> data = operand.data->constant();
  if (!data || data->dtype() == operand.dtype()) return;
  operand.data = &rewriter.constant(Tensor::of<std::int32_t>(operand.dtype(), data->dims(), data->to<std::int32_t>()),
                                    operand.data->name());
}

GRAFT_INLINE void make_uint8(QuantizedOperand& operand, Rewriter& rewriter) {
  const std::optional<Tensor> data = operand.data->constant();
  if (!data || operand.dtype() != DType::i8) return;
  const auto raised = [](const Tensor& tensor) {
    std::vector<std::int32_t> integers = tensor.to<std::int32_t>();
    for (std::int32_t& each : integers) each += 128;
    return Tensor::of<std::int32_t>(DType::u8, tensor.dims(), integers);
  };
  const std::string hint(operand.data->name());
  operand.zero_point = raised(operand.zero_point);
  operand.zero_point_value = &rewriter.constant(operand.zero_point, hint + "_zero_point");
  operand.data = &rewriter.constant(raised(*data), hint + "_uint8");
}

GRAFT_INLINE std::vector<float> product_scales(const QuantizedOperand& x, const QuantizedOperand& w) {
  std::vector<float> products = w.scale.to<float>();
  for (float& product : products) product *= x.scale.data<float>()[0];
  return products;
}

GRAFT_INLINE std::optional<std::vector<double>> greatest_sums(const QuantizedOperand& w, std::size_t axis) {
  const std::optional<Tensor> data = w.data->constant();
  if (!data || axis >= data->rank()) return std::nullopt;
  const std::vector<std::int32_t> integers = data->to<std::int32_t>(), zeros = w.zero_point.to<std::int32_t>();
  const auto channels = static_cast<std::size_t>(data->dims()[axis]);
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < data->rank(); ++i) inner *= static_cast<std::size_t>(data->dims()[i]);
  std::vector<double> sums(channels);
  for (std::size_t i = 0; i < integers.size(); ++i) {
    const std::size_t channel = i / inner % channels;
    sums[channel] += 255.0 * std::abs(integers[i] - zeros[zeros.size() == 1 ? 0 : channel]);
  }
  return sums;
}

GRAFT_INLINE Verdict fit_int32(const QuantizedOperand& w, std::size_t axis, const std::optional<Tensor>& bias) {
  const std::optional<std::vector<double>> sums = greatest_sums(w, axis);
  if (!sums) return Verdict::yes();
  const std::vector<double> biases = bias ? bias->to<double>() : std::vector<double>();
  for (std::size_t channel = 0; channel < sums->size(); ++channel) {
    const double more = biases.empty() ? 0 : std::abs(biases[biases.size() == 1 ? 0 : channel]);
    if ((*sums)[channel] + more > std::numeric_limits<std::int32_t>::max())
      return Verdict::no("its sums may overflow int32");
  }
  return Verdict::yes();
}

GRAFT_INLINE std::optional<std::vector<double>> constant_numbers(const Value& value) {
  if (const std::optional<Tensor> constant = value.constant()) return constant->to<double>();
  if (value.producer() == nullptr || !is_dequantize(*value.producer())) return std::nullopt;
  const std::optional<QuantizedTensor> quantized = quantized_constant(*value.producer());
  if (!quantized || quantized->axis.value_or(0) != 0 || quantized->data.rank() > 1) return std::nullopt;
  std::vector<double> numbers = quantized->data.to<double>();
  const std::vector<double> scales = quantized->scale.to<double>(), zeros = quantized->zero_point.to<double>();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = (numbers[i] - zeros[i % zeros.size()]) * scales[i % scales.size()];
  return numbers;
}

}  // namespace graft::inline v1::qonnx::detail
