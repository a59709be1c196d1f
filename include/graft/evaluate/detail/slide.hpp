#pragma once
#include <algorithm>
#include <cstdint>

#include <graft/evaluate/clamp.hpp>
#include <graft/evaluate/detail/lanes.hpp>
#include <graft/evaluate/detail/padded.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// One filter or pool over one plane: each output accumulates the inputs under its window, in order, from `start`.
struct Slide {
  const Padded& padded;
  const float* x;  // the padded plane
  const float* weights;  // for WeightedSum
  float start;
  float* y;
  Clamp clamp = {};
};

struct WeightedSum {
  [[gnu::always_inline]] static void accumulate(auto& sum, const auto& x, const float* weights, std::size_t tap) {
    sum += weights[tap] * x;
  }
};

struct PlainSum {
  [[gnu::always_inline]] static void accumulate(auto& sum, const auto& x, const float*, std::size_t) { sum += x; }
};

struct Largest {
  [[gnu::always_inline]] static void accumulate(auto& most, const auto& x, const float*, std::size_t) {
    most = most < x ? x : most;
  }
};

template <class Operation>
struct SlideRows {
  template <int Width>
  [[gnu::always_inline]] static void run(const Slide& slide) {
    const Padded& padded = slide.padded;
    const std::int64_t width = padded.window.output[2];
    if constexpr (Width > 1) {
      if (width < Width) return run<(Width > 4 ? Width / 2 : 1)>(slide);
    }
    Block block;
    std::size_t filled = 0;
    float* y = slide.y;
    for (std::int64_t d = 0; d < padded.window.output[0]; ++d) {
      for (std::int64_t h = 0; h < padded.window.output[1]; ++h, y += width) {
        const float* x = slide.x + padded.start(d, h);
        for (std::int64_t i = 0; i < width; i += Width) {
          const std::int64_t at = std::min(i, width - Width);  // the last vector overlaps the one before
          block.x[filled] = x + at;
          block.y[filled] = y + at;
          if (++filled == block.size) {
            accumulate<Width>(slide, block);
            filled = 0;
          }
        }
      }
    }
    if (filled == 0) return;
    for (; filled < block.size; ++filled) {
      block.x[filled] = block.x[filled - 1];
      block.y[filled] = block.y[filled - 1];
    }
    accumulate<Width>(slide, block);
  }

 private:
  /// The number of output vectors that are computed together: a single one would wait for its own sums.
  struct Block {
    static constexpr std::size_t size = 4;
    const float* x[size];
    float* y[size];
  };

  template <int Width>
  [[gnu::always_inline]] static void accumulate(const Slide& slide, const Block& block) {
    using Lane = Lanes<Width>;
    typename Lane::Vector sum[Block::size];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < Block::size; ++v) Lane::fill(sum[v], slide.start);
    for (std::size_t tap = 0; tap < slide.padded.taps.size(); ++tap) {
#pragma GCC unroll 4
      for (std::size_t v = 0; v < Block::size; ++v) {
        typename Lane::Vector input;
        Lane::load(input, block.x[v] + slide.padded.taps[tap]);
        Operation::accumulate(sum[v], input, slide.weights, tap);
      }
    }
    typename Lane::Vector low, high;
    Lane::fill(low, slide.clamp.low);
    Lane::fill(high, slide.clamp.high);
#pragma GCC unroll 4
    for (std::size_t v = 0; v < Block::size; ++v) {
      Clamp::apply(sum[v], low, high);
      Lane::store(block.y[v], sum[v]);
    }
  }
};

}  // namespace graft::inline v1::standard_kernels::detail
