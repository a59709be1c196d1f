#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <graft/evaluate/detail/arrays.hpp>
#include <graft/evaluate/detail/gemm.hpp>
#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/detail/padded.hpp>
#include <graft/evaluate/detail/scratch.hpp>
#include <graft/evaluate/detail/window.hpp>
#include <graft/evaluate/kernels/conv.hpp>
#include <graft/evaluate/kernels/conv_transpose.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/permuted.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The windows of padded planes as rows of a matrix [outputs, channels * kernel]. At most one panel of it exists at a
/// time.
struct UnfoldedRows {
  const Padded& padded;
  const float* x;

  Panel panel(const PanelPlace& place, float* to) const {
    const std::int64_t width = padded.window.output[2], height = padded.window.output[1];
    const auto taps = to_int(padded.taps.size());
    for (std::int64_t j = 0; j < place.width; ++j) {
      float* out = to + j;
      if (j >= place.columns) {
        for (std::int64_t l = place.first; l < place.last; ++l, out += place.width) *out = 0;
        continue;
      }
      const std::int64_t column = place.column + j;
      const float* const plane = x + column / taps * padded.size() + padded.taps[to_size(column % taps)];
      for (std::int64_t l = place.first; l < place.last;) {
        const std::int64_t row = l / width, at = l % width, count = std::min(width - at, place.last - l);
        const float* const from = plane + padded.start(row / height, row % height) + at;
        for (std::int64_t i = 0; i < count; ++i, out += place.width) *out = from[i];
        l += count;
      }
    }
    return {to, place.width};
  }
};

/// Adds the gradient of the weights of one group of one image: w [filters, channels, kernel] += g [filters, output] by
/// the windows of x [channels, input].
struct ConvWeightGradient {
  const Window& window;
  std::int64_t channels, filters;

  void run(const float* x, const float* g, float* w, const ParallelFor* parallel) const {
    const std::int64_t outputs = window.output_size();
    const Padded padded(window);
    if (channels == 1 || !(window.pointwise() || padded.worthwhile())) return slide(x, g, w);
    const std::int64_t depth = channels * window.kernel_size();
    const Gemm gemm{filters, outputs, depth, g, nullptr, w, depth};
    if (window.pointwise()) return multiply(gemm, ColumnMajor{x, outputs}, best_simd(), parallel);
    std::vector<float> planes = scratch<float>(channels, padded.size());
    for_each_part(parallel, channels, [&](std::int64_t c) {
      padded.copy(x + c * window.input_size(), planes.data() + c * padded.size());
    });
    multiply(gemm, UnfoldedRows{padded, planes.data()}, best_simd(), parallel);
  }

 private:
  /// One sum of products for each filter, channel and kernel position.
  void slide(const float* x, const float* g, float* w) const {
    using Strided = Eigen::Map<const Eigen::ArrayXf, 0, Eigen::InnerStride<>>;
    for (std::int64_t f = 0; f < filters; ++f, g += window.output_size()) {
      for (std::int64_t c = 0; c < channels; ++c, w += window.kernel_size()) {
        const float* const plane = x + c * window.input_size();
        window.each_run([&](std::int64_t out, std::int64_t in, std::int64_t k, std::int64_t count) {
          const Strided inputs(plane + in, count, Eigen::InnerStride<>(window.stride[2]));
          w[k] += (ConstArray<float>(g + out, count) * inputs).sum();
        });
      }
    }
  }
};

/// The gradient of the weights [M, C / groups, kernel...] of a convolution of x [N, C, ...] with outputs whose
/// gradients are g [N, M, ...].
inline Tensor conv_weight_gradient(const Tensor& x, const Tensor& g, const Dims& dims, const Window& window,
                                   std::int64_t groups, const ParallelFor* parallel) {
  Tensor w(DType::f32, dims);
  if (w.size() == 0) return w;
  const ConvWeightGradient group{window, dims[1], dims[0] / groups};
  const float* const inputs = x.data<float>().data();
  const float* const gradients = g.data<float>().data();
  float* const to = w.mutable_data<float>().data();
  for_each_part(parallel, groups, [&](std::int64_t i) {
    for (std::int64_t n = 0; n < x.dims()[0]; ++n) {
      const std::int64_t at = n * groups + i;
      group.run(inputs + at * group.channels * window.input_size(),
                gradients + at * group.filters * window.output_size(),
                to + i * group.filters * group.channels * window.kernel_size(), groups == 1 ? parallel : nullptr);
    }
  });
  return w;
}

/// The gradient of biases [M], from that of outputs [N, M, ...].
inline Tensor channel_sums(const Tensor& g) {
  const AxisView view(g.dims(), 1);
  return sum_strided(g, {view.outer, view.extent, view.inner}, {0, 1, 0}, {view.extent});
}

}  // namespace graft::inline v1::standard_kernels::detail

/// The gradients of Conv.
namespace graft::inline v1::standard_kernels::backward {

/// The gradient of the input is a transposed convolution.
inline void conv(BackwardContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& w = ctx.input(1);
  const detail::Window window = detail::conv_window(ctx, x, w);
  const auto groups = ctx.attr<std::int64_t>("group");
  const Dims& dims = w.dims();
  if (groups < 1 || dims[0] % groups != 0 || x.dims()[1] != dims[1] * groups)
    throw detail::failure({"weights of ", dims, " in ", groups, " groups on an input of ", x.dims()});
  const Tensor& g = detail::gradient_of(ctx, detail::output_dims(x.dims()[0], dims[0], window));
  if (ctx.needs(0)) {
    Tensor gradient(DType::f32, x.dims());
    const Tensor turned =
        permuted(w.reshaped({groups, dims[0] / groups, dims[1] * window.kernel_size()}), {0, 2, 1});
    detail::conv_transpose<float>(g, turned, gradient, window, ctx.parallel());
    ctx.set_gradient(0, std::move(gradient));
  }
  if (ctx.needs(1)) ctx.set_gradient(1, detail::conv_weight_gradient(x, g, dims, window, groups, ctx.parallel()));
  if (ctx.needs(2)) ctx.set_gradient(2, detail::channel_sums(g));
}

inline void add_conv(BackwardKernels& kernels) { kernels.add("Conv", conv); }

}  // namespace graft::inline v1::standard_kernels::backward
