#pragma once
#include <cmath>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/arrays.hpp>
#include <graft/evaluate/detail/axes.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/detail/sum.hpp>
#include <graft/evaluate/permuted.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// How BatchNormalization sees its input: [batch, channels, inner]. Below opset 9 an operator that is not "spatial" has
/// statistics of their own for each place of the image.
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

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// The types of the statistics may differ from that of the input (opset 15); all is computed in f32, or f64 if the
/// input is.
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

}  // namespace graft::inline v1::standard_kernels
