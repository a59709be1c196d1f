#pragma once
#include <algorithm>
#include <cstdint>

#include <graft/evaluate/detail/padded.hpp>
#include <graft/evaluate/detail/simd.hpp>

namespace graft::inline v1::kernels::detail {

/// One filter over one plane: each output is `start` and the weighted inputs under its window, in their order.
struct Slide {
  const Padded& padded;
  const float* x;  // the padded plane
  const float* weights;
  float start;
  float* y;
};

struct SlideRows {
  template <int Width>
  [[gnu::always_inline]] static void run(const Slide& slide) {
    for (std::int64_t row = 0; row < slide.padded.window.output_rows(); ++row)
      slide_row<Width>(slide, slide.x + slide.padded.start(row), slide.y + row * slide.padded.window.output[2]);
  }

 private:
  /// In the widest vectors that fit; the last one overlaps the one before.
  template <int Width>
  [[gnu::always_inline]] static void slide_row(const Slide& slide, const float* x, float* y) {
    const std::int64_t width = slide.padded.window.output[2];
    if constexpr (Width > 1) {
      if (width < Width) return slide_row<(Width > 4 ? Width / 2 : 1)>(slide, x, y);
    }
    std::int64_t i = 0;
    for (; i + 4 * Width <= width; i += 4 * Width) slide_vectors<Width, 4>(slide, x + i, y + i);
    for (; i < width; i += Width) {
      const std::int64_t at = std::min(i, width - Width);
      slide_vectors<Width, 1>(slide, x + at, y + at);
    }
  }

  template <int Width, int Vectors>
  [[gnu::always_inline]] static void slide_vectors(const Slide& slide, const float* x, float* y) {
    using Lane = Lanes<Width>;
    typename Lane::Vector sum[Vectors];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) Lane::fill(sum[v], slide.start);
    const float* weight = slide.weights;
    for (const std::int64_t tap : slide.padded.taps) {
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) {
        typename Lane::Vector input;
        Lane::load(input, x + tap + v * Width);
        sum[v] += *weight * input;
      }
      ++weight;
    }
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) Lane::store(y + v * Width, sum[v]);
  }
};

}  // namespace graft::inline v1::kernels::detail
