#include <graft/vocabulary/slice_range.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

/// The positions that a range means, in a list of `extent` of them.
std::vector<std::int64_t> taken(const vocabulary::SliceRange& range,
                                const std::vector<std::int64_t>& from) {
  const auto elements = vocabulary::elements_of(range, std::ssize(from));
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < elements.count; ++i)
    result.push_back(from[static_cast<std::size_t>(elements.start + i * elements.step)]);
  return result;
}

}  // namespace

TEST_CASE("one range takes what two would") {
  std::size_t composed_blindly = 0;
  for (std::int64_t extent = 0; extent < 6; ++extent) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(extent));
    std::iota(all.begin(), all.end(), 0);
    std::vector<vocabulary::SliceRange> ranges;
    for (const std::int64_t start : {-9, -2, -1, 0, 1, 3, 9})
      for (const std::int64_t end : {-9, -1, 0, 2, 4, 9})
        for (const std::int64_t step : {-2, -1, 1, 2}) ranges.push_back({start, end, step});
    for (const auto& first : ranges) {
      for (const auto& second : ranges) {
        const auto wanted = taken(second, taken(first, all));
        const auto both = vocabulary::composed(first, second, Dim(extent));
        if (!both || taken(*both, all) != wanted) FAIL(first.start << ":" << first.end << ":" << first.step);
        const auto blind = vocabulary::composed(first, second, Dim());
        if (blind && taken(*blind, all) != wanted) FAIL(first.start << ":" << first.end << ":" << first.step);
        composed_blindly += blind.has_value();
      }
    }
  }
  CHECK(composed_blindly > 1000);
}

TEST_CASE("positions far beyond the ends mean the ends") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  using vocabulary::composed;
  using vocabulary::SliceRange;
  CHECK(composed({1, most, 1}, {2, most, 1}, Dim()) == SliceRange{3, most, 1});
  CHECK(composed({1, most, 2}, {2, most, 3}, Dim()) == SliceRange{5, most, 6});
  CHECK(composed({1, most, 1}, {2, 5, 1}, Dim()) == SliceRange{3, 6, 1});
  CHECK(composed({1, most, 1}, {most, most, 1}, Dim()) == std::nullopt);
  CHECK(composed({-1, most, 1}, {0, 1, 1}, Dim()) == std::nullopt);
  CHECK(composed({-1, -most, -1}, {1, most, 1}, Dim(4)) ==
        SliceRange{2, std::numeric_limits<std::int64_t>::min(), -1});
}
