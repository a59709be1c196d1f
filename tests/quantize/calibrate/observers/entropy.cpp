#include <graft/quantize/calibrate/observers/entropy.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

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
