#include <graft/quantize/statistics.hpp>

#include <catch2/catch.hpp>

#include <graft/quantize/statistics/moving_extremes.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

TEST_CASE("statistics start each tensor alike", "[quantize]") {
  Statistics statistics(MovingExtremes(0.5));
  CHECK(statistics.find("x") == nullptr);
  add(statistics.of("x"), tensor_of({0, 2}));
  add(statistics.of("x"), tensor_of({0, 4}));
  REQUIRE(statistics.find("x") != nullptr);
  CHECK(statistics.find("x")->averages() == Range{0, 3});
  CHECK(statistics.size() == 1);
}

TEST_CASE("statistics merge tensor by tensor, and count their samples", "[quantize]") {
  Statistics earlier(MovingExtremes(0.5)), later = earlier;
  earlier.samples = 2;
  later.samples = 3;
  later.skipped = 1;
  add(earlier.of("x"), tensor_of({0, 2}));
  add(later.of("x"), tensor_of({0, 4}));
  add(later.of("y"), tensor_of({5}));
  earlier.merge(later);
  CHECK(earlier.samples == 5);
  CHECK(earlier.skipped == 1);
  CHECK(earlier.find("x")->averages() == Range{0, 3});
  CHECK(earlier.find("y")->averages() == Range{5, 5});
}

TEST_CASE("statistics that do not merge name the tensor", "[quantize]") {
  Statistics half(MovingExtremes(0.5)), quarter(MovingExtremes(0.25));
  half.of("x");
  quarter.of("x");
  CHECK_THROWS_WITH(half.merge(quarter), "x: moving averages of two weights do not merge");
}
