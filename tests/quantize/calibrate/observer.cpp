#include <graft/quantize/calibrate/observer.hpp>

#include <string_view>
#include <type_traits>

#include <catch2/catch.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/calibrate/observers/from_extremes.hpp>
#include <graft/quantize/calibrate/observers/from_histogram.hpp>
#include "quantize/statistics/parts.hpp"

using namespace graft;

static_assert(RangeObserver<MinMax> && RangeObserver<MovingAverage> && RangeObserver<Percentile> &&
              RangeObserver<Entropy> && RangeObserver<SquaredError> && RangeObserver<Fixed>);
static_assert(!RangeObserver<Range>);

TEST_CASE("one gathering of histograms serves several observers", "[quantize]") {
  Statistics<Histogram> statistics;
  add(statistics.of("x"), tensor_of({0, 1, 1, 1, 8}));
  statistics.of("unseen");
  CHECK(ranges_of(MinMax(), statistics) == Ranges{{"x", {0, 8}}, {"unseen", {}}});
  CHECK(ranges_of(Fixed{{-1, 1}}, statistics).at("x") == Range{-1, 1});
  CHECK(ranges_of(Percentile{50}, statistics).at("x").max < 1.1f);
}

namespace {

/// Gathers two samples of x.
bool gather(const detail::StatisticsSink& statistics) {
  for (const auto& values : {tensor_of({0, 1, 1, 1, 8}), tensor_of({0, 1, 1, 1, 2})}) {
    statistics.add("x", values, detail::extent_of(values.data<float>()).range);
    statistics.count({});
  }
  return true;
}

Range range_of_x(const AnyRangeObserver& observer) { return observer.ranges(gather).value().at("x"); }

}  // namespace

static_assert(std::is_convertible_v<Percentile, AnyRangeObserver>);
static_assert(!std::is_convertible_v<Range, AnyRangeObserver>);

TEST_CASE("an observer of any type finds ranges of its own statistics", "[quantize]") {
  CHECK(range_of_x({}) == Range{0, 8});
  CHECK(range_of_x(MovingAverage{0.5}) == Range{0, 5});
  CHECK(range_of_x(Percentile{50}).max < 1.1f);
  CHECK(range_of_x(Fixed{{-1, 1}}) == Range{-1, 1});
}

TEST_CASE("statistics start again for each run of samples, and none are kept of one that is cancelled", "[quantize]") {
  const AnyRangeObserver observer;
  CHECK(observer.ranges(gather)->size() == 1);
  CHECK(observer.ranges([](const detail::StatisticsSink& statistics) { return statistics.samples() == 0; })->empty());
  CHECK_FALSE(observer.ranges([](const detail::StatisticsSink&) { return false; }));
}

TEST_CASE("what an observer throws passes through", "[quantize]") {
  CHECK_THROWS_WITH(range_of_x(Percentile{101}), Catch::Contains("percentile"));
  CHECK_THROWS_AS(range_of_x(Fixed{{2, 1}}), Error);
}
