#include <graft/session/paired_ratio.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/error.hpp>
#include <graft/testing/random.hpp>

using namespace graft;

namespace {

std::vector<double> exponentials(const std::vector<double>& logs) {
  std::vector<double> values;
  for (const double log : logs) values.push_back(std::exp(log));
  return values;
}

}  // namespace

TEST_CASE("the interval of a paired ratio is that of the signed-rank test") {
  // Hollander and Wolfe, table 3.1, examples 3.1, 3.3 and 3.4: nine patients before and after; theta is -0.46, and the
  // 96 % interval, from 10 of 512 in each tail, is from -0.786 to -0.010.
  const std::vector<double> before{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const std::vector<double> after{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  const PairedRatio found = paired_ratio(exponentials(after), exponentials(before), 0.96);
  CHECK(std::log(found.ratio) == Approx(-0.46).margin(1e-9));
  CHECK(std::log(found.low) == Approx(-0.786).margin(1e-9));
  CHECK(std::log(found.high) == Approx(-0.010).margin(1e-9));
  CHECK(found.pairs == 9);
  CHECK(found.is_faster());
  CHECK(paired_ratio(exponentials(before), exponentials(after), 0.96).is_slower());
  CHECK_FALSE(paired_ratio(exponentials(after), exponentials(before), 0.99).is_faster());
}

TEST_CASE("a paired ratio of few pairs has no interval") {
  const std::vector<double> times(5, 1), twice(5, 2);
  const PairedRatio five = paired_ratio(times, twice, 0.95);
  CHECK(five.ratio == Approx(0.5));
  CHECK(five.low == 0);
  CHECK(five.high == std::numeric_limits<double>::infinity());
  const PairedRatio six = paired_ratio(std::vector<double>(6, 1), std::vector<double>(6, 2), 0.95);
  CHECK(six.low == Approx(0.5));
  CHECK(six.high == Approx(0.5));
  CHECK(paired_ratio({}, {}, 0.95).pairs == 0);
}

TEST_CASE("a drift that is in both of a pair, and outliers, do not move the ratio") {
  std::vector<double> times, against;
  for (int i = 0; i < 20; ++i) {
    const double machine = 1 + i * 0.2;
    times.push_back(0.9 * machine);
    against.push_back(machine);
  }
  times[3] *= 50;
  against[11] *= 50;
  const PairedRatio found = paired_ratio(times, against, 0.95);
  CHECK(found.ratio == Approx(0.9).epsilon(0.001));
  CHECK(found.high < 1);
}

TEST_CASE("the interval has the ratio in it as often as the confidence says") {
  Random random(7);
  const auto noise = [&] {  // symmetric, with long tails
    const double u = random.unit() - 0.5;
    return u * u * u;
  };
  int missed = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::vector<double> times, against;
    for (int i = 0; i < 10; ++i) {
      times.push_back(0.8 * std::exp(noise()));
      against.push_back(std::exp(noise()));
    }
    const PairedRatio found = paired_ratio(times, against, 0.95);
    missed += found.low > 0.8 || found.high < 0.8;
  }
  CHECK(missed > 140);  // of 196 expected; an interval that is too wide finds nothing
  CHECK(missed < 250);
}

TEST_CASE("times that are not times are refused") {
  const std::vector<double> good{1, 2}, zero{1, 0}, one{1}, endless{1, std::numeric_limits<double>::infinity()};
  CHECK_THROWS_AS(paired_ratio(good, one, 0.95), Error);
  CHECK_THROWS_AS(paired_ratio(good, zero, 0.95), Error);
  CHECK_THROWS_AS(paired_ratio(endless, good, 0.95), Error);
  CHECK_THROWS_AS(paired_ratio(good, good, 1), Error);
}
