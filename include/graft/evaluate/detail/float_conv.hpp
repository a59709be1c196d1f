#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <graft/evaluate/clamp.hpp>
#include <graft/evaluate/detail/gemm.hpp>
#include <graft/evaluate/detail/padded.hpp>
#include <graft/evaluate/detail/slide.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/simd.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The windows of padded planes as columns of a matrix ("im2col"). At most one panel of it exists at a time.
struct Unfolded {
  const Padded& padded;
  const float* x;

  Panel panel(const PanelPlace& place, float* to) const {
    struct Run {
      std::int64_t from, count;
    };
    std::array<Run, Tiles::max_columns> runs;
    std::size_t count = 0;
    const std::int64_t width = padded.window.output[2], height = padded.window.output[1];
    for (std::int64_t done = 0; done < place.columns; done += runs[count++].count) {
      const std::int64_t row = (place.column + done) / width, at = (place.column + done) % width;
      runs[count] = {padded.start(row / height, row % height) + at, std::min(width - at, place.columns - done)};
    }
    const auto taps = to_int(padded.taps.size());
    float* out = to;
    for (std::int64_t l = place.first; l < place.last; ++l) {
      const float* from = x + l / taps * padded.size() + padded.taps[to_size(l % taps)];
      for (std::size_t i = 0; i < count; out += runs[i++].count) copy_run(from + runs[i].from, runs[i].count, out);
      for (std::int64_t j = place.columns; j < place.width; ++j) *out++ = 0;
    }
    return {to, place.width};
  }
};

/// The part of the window for the outputs [first, last) along an axis.
inline Window outputs_of(Window window, std::size_t axis, std::int64_t first, std::int64_t last) {
  window.pad_begin[axis] -= first * window.stride[axis];
  window.output[axis] = last - first;
  return window;
}

/// The convolution of one group of one image: [channels, input] by [filters, channels, kernel] to [filters, output].
/// Padding the window must be worthwhile.
class FloatConv {
 public:
  FloatConv(const Window& window, std::int64_t channels, std::int64_t filters, const Clamp& clamp = {},
            Simd simd = best_simd())
      : padded_(window), channels_(channels), filters_(filters), clamp_(clamp), simd_(simd) {
    if (channels == 1 && !window.pointwise()) planes_.resize(to_size(padded_.size()));  // the padding stays zero
  }

  /// start has one number for each filter.
  void run(const float* x, const float* w, const float* start, float* y, const ParallelFor* parallel = nullptr) {
    const Window& window = padded_.window;
    const std::int64_t outputs = window.output_size();
    if (outputs == 0) return;
    if (window.pointwise() || channels_ != 1) return run_products(x, w, start, y, parallel);
    padded_.copy(x, planes_.data());
    for (std::int64_t f = 0; f < filters_; ++f) {
      const Slide slide{padded_, planes_.data(), w + f * window.kernel_size(), start[f], y + f * outputs, clamp_};
      run_simd<SlideRows<WeightedSum>>(slide, simd_);
    }
  }

  /// For floats that hold integers within 255 of 0; exact.
  void run(const float* x, const float* w, const std::int32_t* start, std::int32_t* y,
           const ParallelFor* parallel = nullptr) {
    const std::int64_t outputs = padded_.window.output_size();
    for (std::int64_t f = 0; f < filters_; ++f) std::fill_n(y + f * outputs, outputs, start[f]);
    if (outputs > 0) run_products(x, w, nullptr, y, parallel);
  }

 private:
  void run_products(const float* x, const float* w, const float* start, Sums y, const ParallelFor* parallel) {
    const std::int64_t outputs = padded_.window.output_size();
    if (!padded_.window.pointwise()) return run_strips(x, w, start, y, parallel);
    const Gemm gemm{filters_, channels_, outputs, w, start, y, outputs, clamp_};
    multiply(gemm, RowMajor{x, outputs, filters_}, simd_, parallel);
  }

  /// Computes strips of the output, so that the padded planes are small and stay in the cache.
  void run_strips(const float* x, const float* w, const float* start, Sums y, const ParallelFor* parallel) {
    constexpr std::int64_t cached = 1 << 18;
    const Window& window = padded_.window;
    const std::size_t axis = window.output[0] > 1 ? 0 : 1;
    const std::int64_t extent = window.output[axis], outputs = window.output_size();
    const std::int64_t rows = std::max<std::int64_t>(1, cached * extent / (1 + channels_ * padded_.size()));
    for (std::int64_t first = 0; first < extent; first += rows) {
      const Padded strip(outputs_of(window, axis, first, std::min(first + rows, extent)));
      planes_.resize(to_size(channels_ * strip.size()));
      const std::int64_t part = 1 + (1 << 15) / strip.size();
      for_each_part(parallel, (channels_ + part - 1) / part, [&](std::int64_t i) {
        for (std::int64_t c = i * part; c < std::min(i * part + part, channels_); ++c) {
          float* const plane = planes_.data() + c * strip.size();
          std::fill_n(plane, strip.size(), 0.0F);
          strip.copy(x + c * window.input_size(), plane);
        }
      });
      const Gemm gemm{filters_,
                      channels_ * window.kernel_size(),
                      strip.window.output_size(),
                      w,
                      start,
                      y + first * (outputs / extent),
                      outputs,
                      clamp_};
      multiply(gemm, Unfolded{strip, planes_.data()}, simd_, parallel);
    }
  }

  Padded padded_;
  std::int64_t channels_, filters_;
  Clamp clamp_;
  Simd simd_;
  std::vector<float> planes_;
};

}  // namespace graft::inline v1::standard_kernels::detail
