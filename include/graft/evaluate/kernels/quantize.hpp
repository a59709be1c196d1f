#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/detail/quantize.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The outputs of DynamicQuantizeLinear.
struct DynamicallyQuantized {
  Tensor data, scale, zero_point;

  DynamicallyQuantized(const Tensor& x, const ParallelFor* parallel) {
    const ConstArray<float> values(x.data<float>().data(), x.size());
    // NaN makes the scale NaN, as in ONNX Runtime at some positions of the tensor.
    const float low = values.size() == 0 ? 0.0F : std::min(values.minCoeff<Eigen::PropagateNaN>(), 0.0F);
    const float high = values.size() == 0 ? 0.0F : std::max(values.maxCoeff<Eigen::PropagateNaN>(), 0.0F);
    const float step = low == high ? 1.0F : (high - low) / 255.0F;
    // In this order, NaN (from NaN, infinite bounds or a scale that rounds to 0) becomes 255.
    const float zero = std::nearbyint(std::max(0.0F, std::min(255.0F, -low / step)));
    const Quotients quotients(x, Tensor::scalar(step), DType::f32, parallel);
    data = quantize(quotients, Granularity(x.dims()), x.dims(), {zero}, DType::u8);
    scale = Tensor::scalar(step);
    zero_point = Tensor::scalar(static_cast<std::uint8_t>(zero));
  }
};

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// To the type of the zero point, else to output_dtype, else to u8.
inline void quantize_linear(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& scale = ctx.input(1);
  const Tensor* zero = ctx.optional_input(2);
  detail::check_zero_point(detail::to_size(scale.size()), zero);
  const auto declared = static_cast<DType>(ctx.attr_or<std::int64_t>("output_dtype", 0));
  const DType dtype = zero ? zero->dtype() : declared == DType::undefined ? DType::u8 : declared;
  if (declared != DType::undefined && declared != dtype) {
    throw Error("is not the type of the zero point").field("output_dtype");
  }
  const auto precision = static_cast<DType>(ctx.attr_or<std::int64_t>("precision", 0));
  const detail::Granularity granularity = detail::read_granularity(ctx, x.dims(), scale);
  const detail::Quotients quotients(x, scale, precision == DType::undefined ? scale.dtype() : precision,
                                    ctx.parallel());
  if (is_float(dtype)) {
    std::vector<float> values(detail::to_size(x.size()));
    quotients.each_part(granularity, [&](const auto& part, std::int64_t first, std::int64_t, bool) {
      std::copy_n(part.data(), part.size(), values.begin() + first);
    });
    const bool saturate = ctx.attr_or<std::int64_t>("saturate", 1) != 0;
    return ctx.set_output(0, detail::cast(Tensor::of(x.dims(), values), dtype, {saturate}));
  }
  const std::vector<float> zeros = zero ? zero->to<float>() : std::vector<float>(detail::to_size(scale.size()), 0.0F);
  ctx.set_output(0, detail::quantize(quotients, granularity, x.dims(), zeros, dtype));
}

/// To the type of the scale, or output_dtype. Computed in float.
inline void dequantize_linear(KernelContext& ctx) {
  Tensor x = ctx.take_input(0);
  const Tensor& scale = ctx.input(1);
  const Tensor* zero = ctx.optional_input(2);
  const auto declared = static_cast<DType>(ctx.attr_or<std::int64_t>("output_dtype", 0));
  const detail::Granularity granularity = detail::read_granularity(ctx, x.dims(), scale);
  Tensor y = detail::dequantize(std::move(x), scale.to<float>(), zero, granularity, ctx.parallel());
  ctx.set_output(0, detail::cast(std::move(y), declared == DType::undefined ? scale.dtype() : declared));
}

/// To u8, with the scale and the zero point that cover the input and 0.
inline void dynamic_quantize_linear(KernelContext& ctx) {
  detail::DynamicallyQuantized x(ctx.input(0), ctx.parallel());
  ctx.set_output(0, std::move(x.data));
  ctx.set_output(1, std::move(x.scale));
  ctx.set_output(2, std::move(x.zero_point));
}

inline void add_quantize(Kernels& kernels) {
  kernels.add("QuantizeLinear", {10}, quantize_linear)
      .add("DequantizeLinear", {10}, dequantize_linear)
      .add("DynamicQuantizeLinear", dynamic_quantize_linear)
      .add("com.microsoft::QuantizeLinear", quantize_linear)
      .add("com.microsoft::DequantizeLinear", dequantize_linear);
}

}  // namespace graft::inline v1::standard_kernels
