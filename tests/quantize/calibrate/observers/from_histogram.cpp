#include <graft/quantize/calibrate/observers/from_histogram.hpp>

#include <algorithm>
#include <cmath>
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

namespace {

Histogram drawn(const std::function<float(std::mt19937&)>& draw, const std::vector<float>& others = {}) {
  std::mt19937 random(5);
  std::vector<float> values = others;
  for (int i = 0; i < 100000; ++i) values.push_back(draw(random));
  return of<Histogram>({tensor_of(values)});
}

}  // namespace

TEST_CASE("entropy: values spread evenly keep their whole range", "[quantize]") {
  std::uniform_real_distribution<float> even(-3, 3);
  const Histogram histogram = drawn(even);
  const Range range = Entropy().range(histogram);
  CHECK(range.min < -2.9f);
  CHECK(range.max > 2.9f);
}

TEST_CASE("entropy: a few values far out are clipped, on either side by the same threshold", "[quantize]") {
  std::normal_distribution<float> normal(0, 1);
  const Range range = Entropy().range(drawn(normal, {-30, 40}));
  CHECK(range.max < 10);
  CHECK(range.max > 2);
  CHECK(range.min == Approx(-range.max).margin(0.1));
}

TEST_CASE("entropy: what is never negative has no negative range", "[quantize]") {
  std::exponential_distribution<float> falling(1);
  const Range range = Entropy().range(drawn([&](std::mt19937& random) { return falling(random); }, {0, 100}));
  CHECK(range.min == 0);
  CHECK(range.max < 50);
}

TEST_CASE("entropy: zeros, which are exact at any threshold, do not draw it in", "[quantize]") {
  std::normal_distribution<float> normal(0, 1);
  const auto range = [&](bool rectified) {
    return Entropy().range(drawn([&](std::mt19937& random) {
      const float value = normal(random);
      return rectified ? std::max(value, 0.0f) : std::abs(value);
    }));
  };
  CHECK(range(true).max == Approx(range(false).max).epsilon(0.2));
}

TEST_CASE("entropy: of nothing, and of fewer bins than levels, it is everything", "[quantize]") {
  CHECK(Entropy().range(Histogram()).empty());
  CHECK(Entropy().range(of<Histogram>({tensor_of({4, 4})})) == Range{4, 4});
  CHECK(Entropy{4096}.range(of<Histogram>({tensor_of({-1, 4})})) == Range{-1, 4});
}

namespace {

std::vector<float> normal_values(float mean, const std::vector<float>& others = {}) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(mean, 1);
  std::vector<float> values = others;
  for (int i = 0; i < 20000; ++i) values.push_back(normal(random));
  return values;
}

/// Of the values themselves, quantized to multiples of the step and clipped.
double error(const std::vector<float>& values, const Range& range, int levels) {
  const double scale = (static_cast<double>(range.max) - range.min) / (levels - 1);
  double sum = 0;
  for (const double x : values) {
    const double clipped = std::min<double>(std::max<double>(x, range.min), range.max);
    const double rounded = std::nearbyint(clipped / scale) * scale;
    sum += (x - rounded) * (x - rounded);
  }
  return sum;
}

}  // namespace

TEST_CASE("squared error: of a normal distribution, Max's optimal uniform quantizer", "[quantize]") {
  // J. Max: Quantizing for minimum distortion, 1960: three levels at 0 and +-1.224 deviations.
  const Range range = SquaredError{3}.range(of<Histogram>({tensor_of(normal_values(0))}));
  CHECK(range.max == Approx(1.224).epsilon(0.05));
  CHECK(range.min == Approx(-1.224).epsilon(0.05));
}

TEST_CASE("squared error: no other range is much better", "[quantize]") {
  for (const int levels : {15, 255}) {
    for (const std::vector<float>& values : {normal_values(0, {-20}), normal_values(3), normal_values(0, {9, 14})}) {
      const Histogram histogram = of<Histogram>({tensor_of(values)});
      const Range range = SquaredError{levels}.range(histogram);
      const double found = error(values, range, levels);
      const Range all = Range{0, 0}.merge(histogram.range());
      for (float low = 0.1f; low <= 1; low += 0.1f)
        for (float high = 0.1f; high <= 1; high += 0.1f)
          CHECK(found <= 1.05 * error(values, {all.min * low, all.max * high}, levels));
    }
  }
}

TEST_CASE("squared error: a range that holds 0, and none of nothing", "[quantize]") {
  const Range range = SquaredError().range(of<Histogram>({tensor_of({2, 3, 4})}));
  CHECK(range.min == 0);
  CHECK(range.max == Approx(4).epsilon(0.05));
  CHECK(SquaredError().range(of<Histogram>({tensor_of({0, 0})})) == Range{0, 0});
  CHECK(SquaredError().range(Histogram()).empty());
}
