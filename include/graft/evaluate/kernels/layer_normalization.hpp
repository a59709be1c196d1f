#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/sum.hpp>
#include <graft/evaluate/kernels/arithmetic.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The statistics of rows before they were standardized: means, and reciprocals of standard deviations.
struct Moments {
  Tensor mean, inverse_deviation;
};

/// Standardizes each row of x, f32 or f64, to mean 0 and variance 1: (x - mean) / (sqrt(variance + epsilon) + more).
/// Returns the moments with the given dims.
inline Moments standardize(Tensor& x, const Dims& rows, float epsilon, float more = 0) {
  Moments moments{Tensor(x.dtype(), rows), Tensor(x.dtype(), rows)};
  visit<float, double>(x.dtype(), [&]<class T>() {
    const auto means = moments.mean.mutable_data<T>();
    const auto factors = moments.inverse_deviation.mutable_data<T>();
    const std::int64_t width = means.empty() ? 0 : x.size() / to_int(means.size());
    T* row = x.mutable_data<T>().data();
    for (std::size_t i = 0; i < means.size(); ++i, row += width) {
      means[i] = mean(row, width);
      const T deviation = std::sqrt(variance(row, width, means[i]) + static_cast<T>(epsilon));
      factors[i] = 1 / (deviation + static_cast<T>(more));
      for (std::int64_t k = 0; k < width; ++k) row[k] = (row[k] - means[i]) * factors[i];
    }
  });
  return moments;
}

/// The extent of axis 1; 0 if there is none.
inline std::int64_t channels_of(const Tensor& x) { return x.rank() < 2 ? 0 : x.dims()[1]; }

/// Standardizes each of `groups` groups of channels. Throws Error if they do not have equally many.
inline Moments standardize_groups(Tensor& x, std::int64_t groups, float epsilon) {
  if (x.rank() < 2 || groups < 1 || channels_of(x) % groups != 0)
    throw failure({"no ", groups, " groups of an input of ", x.dims()});
  return standardize(x, {x.dims()[0], groups}, epsilon);
}

/// x * scale + bias, both [channels] along axis 1.
inline Tensor scale_channels(Tensor x, const Tensor& scale, const Tensor& bias) {
  Dims dims(x.rank() - 1, 1);
  dims[0] = x.dims()[1];
  return arithmetic<Add>(arithmetic<Mul>(std::move(x), scale.reshaped(dims)), bias.reshaped(dims));
}

/// Standardizes each of `groups` groups of channels, then scales each channel.
inline void normalize_groups(KernelContext& ctx, std::int64_t groups) {
  const DType dtype = ctx.input(0).dtype();
  Tensor x = cast(ctx.take_input(0), computed_in(dtype));
  standardize_groups(x, groups, ctx.attr<float>("epsilon"));
  ctx.set_output(0, scale_channels(cast(std::move(x), dtype), ctx.input(1), ctx.input(2)));
}

/// x + skip + bias. The bias is the input of this number, if present.
inline Tensor skip_sum(KernelContext& ctx, std::size_t bias) {
  if (ctx.has_output(1) || ctx.has_output(2)) throw failure({"mean and inv_std_var are not computed"});
  Tensor sum = arithmetic_onto<Add>(ctx.take_input(0), "skip", ctx.take_input(1));
  return ctx.has_input(bias) ? arithmetic_onto<Add>(std::move(sum), "bias", ctx.take_input(bias)) : sum;
}

/// The dims of the rows from `axis` on: one each.
inline Dims rows_before(Dims dims, std::size_t axis) {
  std::fill(dims.begin() + static_cast<std::ptrdiff_t>(axis), dims.end(), 1);
  return dims;
}

/// Standardizes over the axes from `axis` on, in float, or in double for f64; scales and shifts in the type of x.
inline Tensor scaled_standardized(Tensor given, std::size_t axis, float epsilon, Tensor scale, Tensor bias,
                                  Moments* moments = nullptr) {
  const DType dtype = given.dtype();
  Tensor x = cast(std::move(given), computed_in(dtype));
  Moments found = standardize(x, rows_before(x.dims(), axis), epsilon);
  if (moments != nullptr) *moments = std::move(found);
  Tensor y = arithmetic_onto<Mul>(cast(std::move(x), dtype), "scale", std::move(scale));
  return bias ? arithmetic_onto<Add>(std::move(y), "bias", std::move(bias)) : y;
}

/// Divides each row of x, f32 or f64, by sqrt(mean(x^2) + epsilon). Returns the reciprocals of that with the given
/// dims.
inline Tensor divide_by_rms(Tensor& x, const Dims& rows, float epsilon) {
  Tensor reciprocals(x.dtype(), rows);
  visit<float, double>(x.dtype(), [&]<class T>() {
    const auto factors = reciprocals.mutable_data<T>();
    const std::int64_t width = factors.empty() ? 0 : x.size() / to_int(factors.size());
    T* row = x.mutable_data<T>().data();
    for (T& factor : factors) {
      factor = 1 / std::sqrt(sum(row, width, Square()) / static_cast<T>(width) + static_cast<T>(epsilon));
      for (std::int64_t k = 0; k < width; ++k) row[k] *= factor;
      row += width;
    }
  });
  return reciprocals;
}

/// x / sqrt(mean(x^2) + epsilon) over the axes from `axis` on, then scaled.
inline Tensor scaled_by_rms(Tensor given, std::size_t axis, float epsilon, Tensor scale) {
  const DType wide = computed_in(given.dtype());
  Tensor x = cast(std::move(given), wide);
  divide_by_rms(x, rows_before(x.dims(), axis), epsilon);
  x = cast(std::move(x), scale.dtype());
  return arithmetic_onto<Mul>(std::move(x), "scale", std::move(scale));
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

inline void layer_normalization(KernelContext& ctx) {
  const std::size_t axis = detail::normalized_axis(ctx.attr_or<std::int64_t>("axis", -1), ctx.input(0).rank());
  detail::Moments moments;
  ctx.set_output(
      0, detail::scaled_standardized(ctx.take_input(0), axis, ctx.attr_or<float>("epsilon", 1e-5F), ctx.take_input(1),
                                     ctx.has_input(2) ? ctx.take_input(2) : Tensor(), &moments));
  ctx.set_output(1, std::move(moments.mean));
  ctx.set_output(2, std::move(moments.inverse_deviation));
}

/// com.microsoft's: LayerNormalization of a sum, which is the fourth output.
inline void skip_layer_normalization(KernelContext& ctx) {
  Tensor sum = detail::skip_sum(ctx, 4);
  const std::size_t axis = detail::normalized_axis(-1, sum.rank());
  ctx.set_output(0, detail::scaled_standardized(sum, axis, ctx.attr<float>("epsilon"), ctx.take_input(2),
                                                ctx.has_input(3) ? ctx.take_input(3) : Tensor()));
  ctx.set_output(3, std::move(sum));
}

/// x / sqrt(mean(x^2) + epsilon) over the axes from `axis` on, in float, or in double for f64; then scaled in the type
/// of the scale.
inline void rms_normalization(KernelContext& ctx) {
  const std::size_t axis = detail::normalized_axis(ctx.attr<std::int64_t>("axis"), ctx.input(0).rank());
  ctx.set_output(0, detail::scaled_by_rms(ctx.take_input(0), axis, ctx.attr<float>("epsilon"), ctx.take_input(1)));
}

/// ONNX Runtime's earlier operator of the same name, with one output.
inline void simplified_layer_normalization(KernelContext& ctx) {
  if (ctx.has_output(1)) throw detail::failure({"inv_std_var is not computed"});
  rms_normalization(ctx);
}

/// com.microsoft's: the same for a sum, which is the fourth output.
inline void skip_simplified_layer_normalization(KernelContext& ctx) {
  Tensor sum = detail::skip_sum(ctx, 3);
  const std::size_t axis = detail::normalized_axis(-1, sum.rank());
  ctx.set_output(0, detail::scaled_by_rms(sum, axis, ctx.attr<float>("epsilon"), ctx.take_input(2)));
  ctx.set_output(3, std::move(sum));
}

inline void instance_normalization(KernelContext& ctx) {
  detail::normalize_groups(ctx, detail::channels_of(ctx.input(0)));
}

inline void group_normalization(KernelContext& ctx) {
  detail::normalize_groups(ctx, ctx.attr<std::int64_t>("num_groups"));
}

inline void add_layer_normalization(Kernels& kernels) {
  kernels.add("LayerNormalization", layer_normalization)
      .add("RMSNormalization", rms_normalization)
      .add("SimplifiedLayerNormalization", simplified_layer_normalization)
      .add("com.microsoft::SkipLayerNormalization", skip_layer_normalization)
      .add("com.microsoft::SkipSimplifiedLayerNormalization", skip_simplified_layer_normalization)
      .add("InstanceNormalization", {6}, instance_normalization)
      .add("GroupNormalization", {21}, group_normalization);
}

}  // namespace graft::inline v1::standard_kernels
