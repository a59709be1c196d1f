#include <graft/qdq/extent.hpp>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "support/present_sets.hpp"

using namespace graft;
using namespace graft::detail;

namespace {

constexpr std::size_t count = ExtentLanes::count;

std::vector<float> random_values(std::size_t size) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> values(-3, 2);
  std::vector<float> result(size);
  for (float& x : result) x = values(random);
  return result;
}

bool same(const Extent& a, const Extent& b) { return a.range == b.range && a.finite == b.finite; }

/// Value by value.
Extent plain(const std::vector<float>& values, std::size_t first = 0, std::size_t step = 1) {
  Extent extent;
  for (std::size_t i = first; i < values.size(); i += step) merge(extent, extent_of(values[i]));
  return extent;
}

}  // namespace

TEST_CASE("every instruction set finds the extents that single values have") {
  std::vector<float> values = random_values(9 * count);
  values[3 * count] = NAN;
  values[4 * count + 1] = INFINITY;
  values[5 * count + 2] = -INFINITY;
  for (std::size_t row = 0; row < 9; ++row) values[row * count + 3] = row % 2 == 0 ? -0.0f : 0.0f;
  for (const standard_kernels::Simd simd : present_sets()) {
    ExtentLanes lanes;
    standard_kernels::run_simd<ExtentLoop>(ExtentWork{lanes, values.data(), 9}, simd);
    for (std::size_t k = 0; k < count; ++k) CHECK(same(lanes[k], plain(values, k, count)));
    CHECK_FALSE(std::signbit(lanes[3].range.max));
  }
}

TEST_CASE("an extent is that of every value, however many there are") {
  for (const std::size_t size : {0UL, 1UL, count - 1, count, count + 1, 5 * count + 7}) {
    std::vector<float> values = random_values(size);
    CHECK(same(extent_of(values), plain(values)));
    if (size == 0) continue;
    values.back() = 100;
    CHECK(extent_of(values).range.max == 100);
    values.front() = NAN;
    CHECK_FALSE(extent_of(values).finite);
  }
}

TEST_CASE("the extents of columns are those of each alone") {
  for (const std::size_t columns : {1UL, count - 1, count, 2 * count + 3}) {
    std::vector<float> values = random_values(columns * 19);
    values[columns / 2] = INFINITY;
    const std::vector<Extent> extents = extents_of_columns(values, columns);
    REQUIRE(extents.size() == columns);
    for (std::size_t c = 0; c < columns; ++c) CHECK(same(extents[c], plain(values, c, columns)));
  }
}
