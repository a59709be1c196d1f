#include <graft/quantize/tune/signal_to_noise.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

double decibels(const std::vector<float>& x, const std::vector<float>& q) {
  SignalToNoise power;
  power.add(x, q);
  return power.decibels();
}

}  // namespace

TEST_CASE("the signal-to-noise ratio is one of powers, in decibels", "[quantize]") {
  CHECK(decibels({1, -3}, {0, -3}) == Approx(10));
  CHECK(decibels({2, 0, 0}, {1, 1, 1}) == Approx(10 * std::log10(4.0 / 3)));
  CHECK(decibels({1e30f}, {1.5e30f}) == Approx(10 * std::log10(4.0)));  // a square of which overflows float32
}

TEST_CASE("samples add up", "[quantize]") {
  SignalToNoise power;
  power.add(std::vector<float>{1, 0}, std::vector<float>{0, 0});
  power.add(std::vector<float>{3}, std::vector<float>{3});
  CHECK(power.decibels() == Approx(10));
}

TEST_CASE("equal values have no noise, noise without a signal no ratio", "[quantize]") {
  CHECK(decibels({}, {}) == inf);
  CHECK(decibels({0, 1}, {0, 1}) == inf);
  CHECK(decibels({-inf, 3}, {-inf, 2}) == Approx(10 * std::log10(9.0)));
  CHECK(decibels({0}, {1}) == -inf);
  CHECK(decibels({1}, {inf}) == -inf);
  CHECK(decibels({1}, {nan}) == -inf);
  CHECK(decibels({nan}, {1}) == -inf);
  CHECK(decibels({nan, 3}, {nan, 2}) == Approx(10 * std::log10(9.0)));
}
