#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include <graft/evaluate/detail/gemm.hpp>
#include <graft/evaluate/detail/lanes.hpp>
#include <graft/evaluate/detail/padded.hpp>
#include <graft/evaluate/detail/scratch.hpp>
#include <graft/evaluate/detail/window.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/simd.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Adds to a padded plane: the rows [first, last) of a plane of outputs, for each tap at the places that the outputs
/// read. The values of a tap are times its weight, and `tap_stride` behind those of the tap before.
struct Fold {
  const Padded& padded;
  const float* values;  // of the first row
  std::int64_t tap_stride;
  const float* weights;
  std::int64_t weight_stride;
  std::int64_t first, last;
  float* plane;
};

struct FoldRows {
  template <int Width>
  [[gnu::always_inline]] static void run(const Fold& fold) {
    const Padded& padded = fold.padded;
    const std::int64_t width = padded.window.output[2], height = padded.window.output[1];
    for (std::int64_t row = fold.first; row < fold.last; ++row) {
      float* const at = fold.plane + padded.start(row / height, row % height);
      const float* from = fold.values + (row - fold.first) * width;
      const float* weight = fold.weights;
      for (const std::int64_t tap : padded.taps) {
        std::int64_t i = 0;
        add<Width>(from, *weight, at + tap, width, i);
        if constexpr (Width > 4) add<4>(from, *weight, at + tap, width, i);
        for (; i < width; ++i) at[tap + i] += *weight * from[i];
        from += fold.tap_stride;
        weight += fold.weight_stride;
      }
    }
  }

 private:
  template <int Width>
  [[gnu::always_inline]] static void add(const float* from, float weight, float* to, std::int64_t count,
                                         std::int64_t& i) {
    using Lane = Lanes<Width>;
    for (; i + Width <= count; i += Width) {
      typename Lane::Vector sum, value;
      Lane::load(sum, to + i);
      Lane::load(value, from + i);
      sum += weight * value;
      Lane::store(to + i, sum);
    }
  }
};

/// The transposed convolution of one group of one image: [channels, output] by [planes * kernel, channels] to
/// [planes, input], where input and output are those of the window. Padding the window must be worthwhile.
class FloatConvTranspose {
 public:
  FloatConvTranspose(const Window& window, std::int64_t channels, std::int64_t planes, Simd simd = best_simd())
      : padded_(window), channels_(channels), planes_(planes), simd_(simd) {}

  /// Adds to y.
  void run(const float* x, const float* w, float* y, const ParallelFor* parallel = nullptr) const {
    std::vector<float> sums = scratch<float>(planes_, padded_.size());
    if (planes_ == 1) {
      for (std::int64_t c = 0; c < channels_; ++c) {
        const Fold fold{padded_,   x + c * padded_.window.output_size(), 0, w + c, channels_, 0,
                        padded_.window.output_rows(), sums.data()};
        run_simd<FoldRows>(fold, simd_);
      }
    } else {
      run_products(x, w, sums.data(), parallel);
    }
    for_each_part(parallel, planes_, [&](std::int64_t plane) {
      padded_.add_back(sums.data() + plane * padded_.size(), y + plane * padded_.window.input_size());
    });
  }

 private:
  /// With as many output rows at a time as give columns that fit in the cache.
  void run_products(const float* x, const float* w, float* sums, const ParallelFor* parallel) const {
    constexpr std::int64_t cached = 1 << 18;
    const Window& window = padded_.window;
    const std::int64_t kernel = window.kernel_size(), depth = planes_ * kernel, width = window.output[2];
    const std::int64_t rows = std::clamp<std::int64_t>(cached / (1 + depth * width), 1, window.output_rows());
    std::vector<float> columns = scratch<float>(depth, rows * width);
    const std::vector<float> zeros(to_size(depth));
    const float one = 1;
    for (std::int64_t first = 0; first < window.output_rows(); first += rows) {
      const std::int64_t last = std::min(first + rows, window.output_rows()), count = (last - first) * width;
      const Gemm gemm{depth, channels_, count, w, zeros.data(), columns.data(), count};
      multiply(gemm, RowMajor{x + first * width, window.output_size(), depth}, simd_, parallel);
      for_each_part(parallel, planes_, [&](std::int64_t plane) {
        const Fold fold{padded_, columns.data() + plane * kernel * count, count, &one, 0, first, last,
                        sums + plane * padded_.size()};
        run_simd<FoldRows>(fold, simd_);
      });
    }
  }

  Padded padded_;
  std::int64_t channels_, planes_;
  Simd simd_;
};

}  // namespace graft::inline v1::standard_kernels::detail
