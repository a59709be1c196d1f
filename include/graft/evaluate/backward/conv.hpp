#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/gemm.hpp>
#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/detail/lanes.hpp>
#include <graft/evaluate/detail/padded.hpp>
#include <graft/evaluate/detail/read_window.hpp>
#include <graft/evaluate/detail/scratch.hpp>
#include <graft/evaluate/kernels/conv.hpp>
#include <graft/evaluate/kernels/conv_transpose.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/permuted.hpp>
#include <graft/evaluate/simd.hpp>

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

/// For each tap, adds up the products of the rows of g and the rows that the tap reads of a padded plane. The rows of g
/// are `pitch` apart and end with zeros; max_width numbers follow the plane.
struct TapSums {
  static constexpr std::int64_t max_width = 16;

  const Padded& padded;
  const float* x;
  const float* g;
  std::int64_t pitch;
  float* sums;
};

struct SumTaps {
  template <int Width>
  [[gnu::always_inline]] static void run(const TapSums& work) {
    using Lane = Lanes<Width>;
    const std::int64_t height = work.padded.window.output[1], rows = work.padded.window.output_rows();
    const auto& taps = work.padded.taps;
    constexpr std::size_t together = 4;
    for (std::size_t tap = 0; tap < taps.size(); tap += together) {
      typename Lane::Vector sums[together];
      const float* places[together];
#pragma GCC unroll 4
      for (std::size_t k = 0; k < together; ++k) {
        Lane::fill(sums[k], 0);
        places[k] = work.x + taps[std::min(tap + k, taps.size() - 1)];
      }
      const float* g = work.g;
      for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t start = work.padded.start(row / height, row % height);
        for (std::int64_t i = 0; i < work.pitch; i += Width, g += Width) {
          typename Lane::Vector slope, value;
          Lane::load(slope, g);
#pragma GCC unroll 4
          for (std::size_t k = 0; k < together; ++k) {
            Lane::load(value, places[k] + start + i);
            sums[k] += slope * value;
          }
        }
      }
      for (std::size_t k = 0; k < std::min(together, taps.size() - tap); ++k) {
        float parts[Width];
        Lane::store(parts, sums[k]);
        for (const float part : parts) work.sums[tap + k] += part;
      }
    }
  }
};

/// Adds the gradient of the weights of one group of one image: w [filters, channels, kernel] += g [filters, output] by
/// the windows of x [channels, input].
struct ConvWeightGradient {
  const Padded& padded;
  std::int64_t channels, filters;
  Simd simd = best_simd();

  void run(const float* x, const float* g, float* w, const ParallelFor* parallel) const {
    const Window& window = padded.window;
    const std::int64_t outputs = window.output_size(), depth = channels * window.kernel_size();
    const Gemm gemm{filters, outputs, depth, g, nullptr, w, depth};
    if (window.pointwise()) return multiply(gemm, ColumnMajor{x, outputs}, simd, parallel);
    if (!padded.worthwhile()) return run_directly(x, g, w);
    std::vector<float> planes = scratch<float>(1, channels * padded.size() + TapSums::max_width);
    for_each_part(parallel, channels, [&](std::int64_t c) {
      padded.copy(x + c * window.input_size(), planes.data() + c * padded.size());
    });
    if (channels == 1) return run_depthwise(planes.data(), g, w);
    multiply(gemm, UnfoldedRows{padded, planes.data()}, simd, parallel);
  }

 private:
  void run_depthwise(const float* plane, const float* g, float* w) const {
    const Window& window = padded.window;
    const std::int64_t width = window.output[2], rows = window.output_rows();
    const std::int64_t pitch = ceil_quotient(width, TapSums::max_width) * TapSums::max_width;
    std::vector<float> spaced(to_size(rows * pitch));
    for (std::int64_t f = 0; f < filters; ++f, w += window.kernel_size()) {
      copy_rows(rows, width, g + f * window.output_size(), width, spaced.data(), pitch);
      run_simd<SumTaps>(TapSums{padded, plane, spaced.data(), pitch, w}, simd);
    }
  }

  /// For windows that are mostly padding.
  void run_directly(const float* x, const float* g, float* w) const {
    const Window& window = padded.window;
    for (std::int64_t f = 0; f < filters; ++f, g += window.output_size()) {
      for (std::int64_t c = 0; c < channels; ++c, w += window.kernel_size()) {
        const float* const plane = x + c * window.input_size();
        window.each_run([&](std::int64_t out, std::int64_t in, std::int64_t k, std::int64_t count) {
          for (std::int64_t i = 0; i < count; ++i) w[k] += g[out + i] * plane[in + i * window.stride[2]];
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
  const Padded padded(window);
  const ConvWeightGradient group{padded, dims[1], dims[0] / groups};
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
  const detail::Window window = detail::conv_window(ctx, x.dims(), w.dims());
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
