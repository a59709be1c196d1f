#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <graft/evaluate/detail/gemm.hpp>
#include <graft/evaluate/detail/padded.hpp>
#include <graft/evaluate/detail/slide.hpp>

namespace graft::inline v1::kernels::detail {

/// The windows of padded planes as the columns of a matrix ("im2col"), of which no more than a panel is ever made.
struct Unfolded {
  const Padded& padded;
  const float* x;

  Panel panel(const PanelPlace& place, float* to) const {
    struct Run {
      std::int64_t from, count;
    };
    std::array<Run, Tiles::most_columns> runs;
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

/// The convolution of one group of one image: [channels, input] by [filters, channels, kernel] to [filters, output].
/// The window must be one that is worthwhile to pad.
class FloatConv {
 public:
  FloatConv(const Window& window, std::int64_t channels, std::int64_t filters, Simd simd = best_simd())
      : padded_(window), channels_(channels), filters_(filters), simd_(simd) {
    if (!window.pointwise()) planes_.resize(to_size(channels * padded_.size()));  // padding stays
  }

  /// start has one number for each filter.
  void run(const float* x, const float* w, const float* start, float* y, const ParallelFor* parallel = nullptr) {
    const Window& window = padded_.window;
    const std::int64_t outputs = window.output_size();
    const Gemm gemm{filters_, channels_ * window.kernel_size(), outputs, w, start, y, outputs};
    if (window.pointwise()) return multiply(gemm, RowMajor{x, outputs, filters_}, simd_, parallel);
    for (std::int64_t c = 0; c < channels_; ++c)
      padded_.copy(x + c * window.input_size(), planes_.data() + c * padded_.size());
    if (channels_ > 1) return multiply(gemm, Unfolded{padded_, planes_.data()}, simd_, parallel);
    for (std::int64_t f = 0; f < filters_; ++f) {
      const Slide slide{padded_, planes_.data(), w + f * window.kernel_size(), start[f], y + f * outputs};
      run_simd<SlideRows<WeightedSum>>(slide, simd_);
    }
  }

 private:
  Padded padded_;
  std::int64_t channels_, filters_;
  Simd simd_;
  std::vector<float> planes_;
};

}  // namespace graft::inline v1::kernels::detail
