#include <graft/quantize/calibrate/observer.hpp>

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
