#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <graft/quantize/range.hpp>

namespace graft::inline v1::detail {

/// The range of some values, and whether all of them are finite. NaN is left out of the range.
struct Extent {
  Range range;
  bool finite = true;
};

/// The extents of values side by side. So many that a loop over them becomes vector instructions, which min over one
/// float would not.
struct ExtentLanes {
  static constexpr std::size_t count = 32;
  std::array<float, count> min, max, rest{};

  ExtentLanes() {
    min.fill(INFINITY);
    max.fill(-INFINITY);
  }
  /// Of `count` values.
  void add(const float* values) {
    for (std::size_t k = 0; k < count; ++k) {
      const float x = values[k];
      min[k] = x < min[k] ? x : min[k];
      max[k] = x > max[k] ? x : max[k];
      rest[k] += x - x;  // 0, and NaN once x is infinite or NaN
    }
  }
  /// -0 is made 0: which of the two came first would depend on the order of the values.
  Extent operator[](std::size_t k) const { return {{min[k] + 0.0f, max[k] + 0.0f}, rest[k] == 0}; }
};

inline void merge(Extent& into, const Extent& other) {
  into.range.merge(other.range);
  into.finite &= other.finite;
}
inline Extent extent_of(float x) {
  return {x == x ? Range{x + 0.0f, x + 0.0f} : Range(), std::isfinite(x)};
}

inline Extent extent_of(std::span<const float> values) {
  ExtentLanes lanes;
  std::size_t i = 0;
  for (; i + ExtentLanes::count <= values.size(); i += ExtentLanes::count) lanes.add(values.data() + i);
  Extent extent;
  for (std::size_t k = 0; k < ExtentLanes::count; ++k) merge(extent, lanes[k]);
  for (; i < values.size(); ++i) merge(extent, extent_of(values[i]));
  return extent;
}

/// Of each column of a matrix in row-major order.
inline std::vector<Extent> extents_of_columns(std::span<const float> values, std::size_t columns) {
  std::vector<Extent> extents(columns);
  std::vector<ExtentLanes> lanes(columns / ExtentLanes::count);
  for (; !values.empty(); values = values.subspan(columns)) {
    std::size_t column = 0;
    for (ExtentLanes& part : lanes) {
      part.add(values.data() + column);
      column += ExtentLanes::count;
    }
    for (; column < columns; ++column) merge(extents[column], extent_of(values[column]));
  }
  for (std::size_t column = 0; column < lanes.size() * ExtentLanes::count; ++column)
    extents[column] = lanes[column / ExtentLanes::count][column % ExtentLanes::count];
  return extents;
}

}  // namespace graft::inline v1::detail
