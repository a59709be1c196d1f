#include <graft/quantize/calibrate/observers/squared_error.hpp>

#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

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
