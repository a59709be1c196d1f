#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/arrays.hpp>
#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/detail/sum.hpp>
#include <graft/evaluate/kernels/layer_normalization.hpp>
#include <graft/evaluate/kernels/reduce.hpp>
#include <graft/evaluate/kernels/softmax.hpp>
#include <graft/evaluate/permuted.hpp>

namespace graft::inline v1::standard_kernels {
namespace detail {

/// BatchNormalization's view of its input: [batch, channels, inner]. Below opset 9, an operator that is not "spatial"
/// has separate statistics for each position of the image.
inline Dims by_channel(const Dims& dims, bool spatial) {
  if (dims.size() < 2) return {dims.empty() ? 1 : dims[0], 1, 1};
  if (!spatial) return {dims[0], extent(dims, 1, dims.size()), 1};
  return {dims[0], dims[1], extent(dims, 2, dims.size())};
}

/// The statistics of each channel, all [channels].
template <class T>
struct BatchStatistics {
  std::vector<T> scale, bias, mean, variance;

  /// (x - mean) / sqrt(variance + epsilon) * scale + bias
  void apply(std::span<T> x, const Dims& view, T epsilon) const {
    T* values = x.data();
    for (std::int64_t row = 0; row < view[0] * view[1]; ++row, values += view[2]) {
      const std::size_t c = to_size(row % view[1]);
      const T factor = scale[c] / std::sqrt(variance[c] + epsilon);
      const T shift = bias[c] - mean[c] * factor;
      Array<T> channel(values, view[2]);
      channel = channel * factor + shift;
    }
  }
};

}  // namespace detail

/// The types of the statistics may differ from that of the input (opset 15). Everything is computed in f32, or in f64
/// for f64.
inline void batch_normalization(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  const DType statistics = ctx.input(3).dtype();
  const Dims view = detail::by_channel(ctx.input(0).dims(), ctx.attr_or<std::int64_t>("spatial", 1) != 0);
  const bool training = ctx.attr_or<std::int64_t>("training_mode", 0) != 0;
  if (ctx.opset() < 14 && ctx.has_output(1)) throw Error("training is not supported below opset 14");
  Tensor x = detail::cast(ctx.take_input(0), dtype == DType::f64 ? DType::f64 : DType::f32);

  detail::visit<float, double>(x.dtype(), [&]<class T>() {
    const auto read = [&](std::size_t i) {
      std::vector<T> values = ctx.input(i).to<T>();
      if (values.size() != detail::to_size(view[1])) {
        throw detail::failure({"input ", i, " is ", ctx.input(i), " for ", view[1], " channels"});
      }
      return values;
    };
    detail::BatchStatistics<T> channels{read(1), read(2), read(3), read(4)};
    if (training) {
      const T momentum = static_cast<T>(ctx.attr<float>("momentum"));
      std::vector<T> running_mean = channels.mean;
      std::vector<T> running_variance = channels.variance;
      const Tensor planes = permuted(x.reshaped(view), {1, 0, 2});
      const std::int64_t count = view[0] * view[2];
      for (std::size_t c = 0; c < running_mean.size(); ++c) {
        const T* plane = planes.data<T>().data() + detail::to_int(c) * count;
        channels.mean[c] = detail::mean(plane, count);
        channels.variance[c] = detail::variance(plane, count, channels.mean[c]);
        running_mean[c] = running_mean[c] * momentum + channels.mean[c] * (1 - momentum);
        running_variance[c] = running_variance[c] * momentum + channels.variance[c] * (1 - momentum);
      }
      ctx.set_output(1, Tensor::of(statistics, {view[1]}, running_mean));
      ctx.set_output(2, Tensor::of(statistics, {view[1]}, running_variance));
    }
    channels.apply(x.mutable_data<T>(), view, static_cast<T>(ctx.attr<float>("epsilon")));
  });
  ctx.set_output(0, detail::cast(std::move(x), dtype));
}

inline void add_batch_normalization(Kernels& kernels) { kernels.add("BatchNormalization", {7}, batch_normalization); }

/// LRN, LpNormalization, MeanVarianceNormalization.

/// x / (bias + alpha / size * the sum of squares over `size` neighbouring channels)^beta
inline void lrn(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  const Tensor x = detail::cast(ctx.take_input(0), detail::computed_in(dtype));
  if (x.rank() < 2) throw detail::failure({x, " has no channels"});
  const detail::AxisView view(x.dims(), 1);
  const auto size = ctx.attr<std::int64_t>("size");
  if (size < 1) throw Error("must be positive").field("size");
  Tensor y(x.dtype(), x.dims());
  detail::visit<float, double>(x.dtype(), [&]<class T>() {
    const T bias = static_cast<T>(ctx.attr<float>("bias"));
    const T factor = static_cast<T>(ctx.attr<float>("alpha")) / static_cast<T>(size);
    const T power = static_cast<T>(ctx.attr<float>("beta"));
    for (std::int64_t row = 0; row < view.outer * view.extent; ++row) {
      const std::int64_t channel = row % view.extent;
      const std::int64_t first = channel - std::min(channel, (size - 1) / 2);
      const std::int64_t last = channel + std::min(view.extent - 1 - channel, size / 2);
      T* const to = y.mutable_data<T>().data() + row * view.inner;
      const T* const from = x.data<T>().data() + row * view.inner;
      for (std::int64_t c = first - channel; c <= last - channel; ++c) {
        for (std::int64_t i = 0; i < view.inner; ++i) to[i] += from[c * view.inner + i] * from[c * view.inner + i];
      }
      for (std::int64_t i = 0; i < view.inner; ++i) to[i] = from[i] / std::pow(bias + factor * to[i], power);
    }
  });
  ctx.set_output(0, detail::cast(std::move(y), dtype));
}

/// x over the 1-norm or 2-norm of its slice; 0 if the norm is 0, as in ONNX Runtime.
inline void lp_normalization(KernelContext& ctx) {
  const auto p = ctx.attr<std::int64_t>("p");
  if (p != 1 && p != 2) throw Error("must be 1 or 2").field("p");
  const Dims dims = ctx.input(0).dims();
  const detail::AxisView view(dims, detail::normalized_axis(ctx.attr<std::int64_t>("axis"), dims.size()));
  ctx.set_output(0, detail::map_slices(ctx.take_input(0), view, [p](auto* first, auto* last) {
                   const auto norm = p == 1 ? detail::sum(first, last - first, detail::Magnitude())
                                            : std::sqrt(detail::sum(first, last - first, detail::Square()));
                   for (auto* x = first; x != last && norm != 0; ++x) *x /= norm;
                 }));
}

/// (x - mean) / (deviation + 1e-9) over the axes, by default all except for the channels'.
inline void mean_variance_normalization(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  const Dims dims = ctx.input(0).dims();
  std::vector<bool> reduced(dims.size(), false);
  for (const std::int64_t axis : ctx.attr<Ints>("axes")) reduced[detail::normalized_axis(axis, dims.size())] = true;
  const detail::Reduction reduction(dims, reduced, true);
  Tensor x = permuted(detail::cast(ctx.take_input(0), detail::computed_in(dtype)), reduction.order);
  detail::standardize(x, {reduction.rows}, 0, 1e-9F);
  std::vector<std::size_t> back(dims.size());
  for (std::size_t i = 0; i < back.size(); ++i) back[reduction.order[i]] = i;
  ctx.set_output(0, detail::cast(permuted(x, back), dtype));
}

inline void add_normalization(Kernels& kernels) {
  kernels.add("LRN", lrn)
      .add("LpNormalization", lp_normalization)
      .add("MeanVarianceNormalization", mean_variance_normalization);
}

}  // namespace graft::inline v1::standard_kernels
