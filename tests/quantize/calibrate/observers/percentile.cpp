#include <graft/quantize/calibrate/observers/percentile.hpp>

#include <algorithm>
#include <cstddef>
#include <random>

#include <catch2/catch.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

TEST_CASE("percentile: what sorting the values gives, to a bin", "[quantize]") {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(1, 2);
  std::vector<float> values(20000);
  std::generate(values.begin(), values.end(), [&] { return normal(random); });
  const Histogram histogram = of<Histogram>({tensor_of(values)});
  std::sort(values.begin(), values.end());
  for (const double percent : {50.0, 90.0, 99.0, 99.9}) {
    const Range range = Percentile{percent}.range(histogram);
    const double outside = (1 - percent / 100) / 2 * static_cast<double>(values.size());
    const auto cut = static_cast<std::size_t>(outside);
    CHECK(std::abs(range.min - values[cut]) <= histogram.width());
    CHECK(std::abs(range.max - values[values.size() - 1 - cut]) <= histogram.width());
    CHECK(std::lower_bound(values.begin(), values.end(), range.min) - values.begin() <= std::ptrdiff_t(cut));
    CHECK(values.end() - std::upper_bound(values.begin(), values.end(), range.max) <= std::ptrdiff_t(cut));
  }
}

TEST_CASE("percentile: all of it is from the least to the greatest, to the bit", "[quantize]") {
  CHECK(Percentile{100}.range(of<Histogram>({tensor_of({-0.7f, 0, 0.1f})})) == Range{-0.7f, 0.1f});
  CHECK(Percentile{100}.range(Histogram()).empty());
}

TEST_CASE("percentile: one value keeps its bin however little is wanted", "[quantize]") {
  CHECK(Percentile{1}.range(of<Histogram>({tensor_of({5, 5, 5})})) == Range{5, 5});
}

TEST_CASE("percentile: no percentile is an error", "[quantize]") {
  for (const double percent : {0.0, -1.0, 100.1, double(NAN)})
    CHECK_THROWS_AS(Percentile{percent}.range(Histogram()), Error);
}
