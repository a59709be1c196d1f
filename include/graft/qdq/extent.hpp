#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <graft/evaluate/simd.hpp>
#include <graft/qdq/range.hpp>

namespace graft::inline v1::detail {

/// The range of some values without NaN, and whether all of them are finite.
struct Extent {
  Range range;
  bool finite = true;
};

/// The extents of values side by side. Compilers vectorize a loop over them, unlike min over one float. The count
/// exceeds what compilers unroll completely, because they do not vectorize then.
struct ExtentLanes {
  static constexpr std::size_t count = 32;
  std::array<float, count> min, max, rest{};

  ExtentLanes() {
    min.fill(INFINITY);
    max.fill(-INFINITY);
  }
  /// Adds `count` values `times` times, each time `step` further. Local variables stay in registers.
  [[gnu::always_inline]] void add(const float* values, std::size_t times, std::size_t step = count) {
    auto lowest = min, highest = max, sum = rest;
    for (; times != 0; --times, values += step) {
      for (std::size_t k = 0; k < count; ++k) {
        const float x = values[k];
        lowest[k] = x < lowest[k] ? x : lowest[k];
        highest[k] = x > highest[k] ? x : highest[k];
        sum[k] += x - x;  // 0; NaN if x is infinite or NaN
      }
    }
    min = lowest;
    max = highest;
    rest = sum;
  }
  /// Merges all lanes into the first.
  template <std::size_t half = count / 2>
  [[gnu::always_inline]] void fold() {
    for (std::size_t k = 0; k < half; ++k) {
      min[k] = min[k + half] < min[k] ? min[k + half] : min[k];
      max[k] = max[k + half] > max[k] ? max[k + half] : max[k];
      rest[k] += rest[k + half];
    }
    if constexpr (half > 1) fold<half / 2>();
  }
  /// Turns -0 into 0: otherwise the sign would depend on the order of the values.
  Extent operator[](std::size_t k) const { return {{min[k] + 0.0f, max[k] + 0.0f}, rest[k] == 0}; }
};

/// Values to be added to lanes, as by their add().
struct ExtentWork {
  ExtentLanes& lanes;
  const float* values;
  std::size_t times, step = ExtentLanes::count;
};

struct ExtentOfAllLoop {
  template <int>
  [[gnu::always_inline]] static void run(const ExtentWork& work) {
    work.lanes.add(work.values, work.times);
    work.lanes.fold();
  }
};
struct ExtentLoop {
  template <int>
  [[gnu::always_inline]] static void run(const ExtentWork& work) {
    work.lanes.add(work.values, work.times, work.step);
  }
};

inline void merge(Extent& into, const Extent& other) {
  into.range.merge(other.range);
  into.finite &= other.finite;
}
inline Extent extent_of(float x) {
  return {x == x ? Range{x + 0.0f, x + 0.0f} : Range(), std::isfinite(x)};
}

inline Extent extent_of(std::span<const float> values) {
  const std::size_t times = values.size() / ExtentLanes::count;
  Extent extent;
  if (times != 0) {
    ExtentLanes lanes;
    standard_kernels::run_simd<ExtentOfAllLoop>(ExtentWork{lanes, values.data(), times});
    extent = lanes[0];
  }
  for (const float x : values.subspan(times * ExtentLanes::count)) merge(extent, extent_of(x));
  return extent;
}

/// The extent of each column of a matrix in row-major order.
inline std::vector<Extent> extents_of_columns(std::span<const float> values, std::size_t columns) {
  constexpr std::size_t rows_at_once = 8;
  std::vector<Extent> extents(columns);
  std::vector<ExtentLanes> lanes(columns / ExtentLanes::count);
  while (!values.empty()) {
    const std::size_t rows = std::min(values.size() / columns, rows_at_once);
    std::size_t column = 0;
    for (ExtentLanes& part : lanes) {
      standard_kernels::run_simd<ExtentLoop>(ExtentWork{part, values.data() + column, rows, columns});
      column += ExtentLanes::count;
    }
    for (; column < columns; ++column)
      for (std::size_t row = 0; row < rows; ++row) merge(extents[column], extent_of(values[row * columns + column]));
    values = values.subspan(rows * columns);
  }
  for (std::size_t column = 0; column < lanes.size() * ExtentLanes::count; ++column)
    extents[column] = lanes[column / ExtentLanes::count][column % ExtentLanes::count];
  return extents;
}

}  // namespace graft::inline v1::detail
