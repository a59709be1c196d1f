#include <graft/quantize/calibrate/statistics.hpp>

#include <catch2/catch.hpp>

#include <graft/quantize/calibrate/statistics/extremes.hpp>

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

TEST_CASE("statistics do not count a sample twice", "[quantize]") {
  Statistics all(MovingExtremes(0.5)), part = all;
  part.seen.add(0, "cat.jpg");
  part.samples = 1;
  add(part.of("x"), tensor_of({0, 2}));
  all.merge(part);
  const Statistics before = all;
  CHECK_THROWS_WITH(all.merge(part), "sample 0 cannot follow sample 0: each counts once, in order");
  CHECK(all == before);
}

TEST_CASE("statistics of samples without an identity merge as often as one likes", "[quantize]") {
  Statistics all(MovingExtremes(0.5)), part = all;
  part.samples = 2;
  all.merge(part);
  all.merge(part);
  CHECK(all.samples == 4);
  CHECK(all.seen == SeenSamples());
}

TEST_CASE("statistics that were gathered in two ways do not merge", "[quantize]") {
  Statistics small(MovingExtremes(0.5)), large = small, unknown = small;
  small.settings = {{"observer", "mine"}, {"preprocessing", "96x96"}};
  large.settings = {{"preprocessing", "224x224"}};
  large.samples = 3;
  const Statistics before = small;
  CHECK_THROWS_WITH(small.merge(large), "preprocessing: is '224x224', not '96x96'");
  CHECK(small == before);
  small.merge(unknown);
  CHECK(small == before);
  unknown.merge(small);
  CHECK(unknown.settings == small.settings);
}

TEST_CASE("the statistic of a tensor can be erased", "[quantize]") {
  Statistics statistics(MovingExtremes(0.5));
  statistics.of("x");
  statistics.erase("y");
  CHECK(statistics.size() == 1);
  statistics.erase("x");
  CHECK(statistics.empty());
}

TEST_CASE("statistics that do not merge name the tensor", "[quantize]") {
  Statistics half(MovingExtremes(0.5)), quarter(MovingExtremes(0.25));
  half.of("x");
  quarter.of("x");
  CHECK_THROWS_WITH(half.merge(quarter), "x: moving averages of two weights do not merge");
}
