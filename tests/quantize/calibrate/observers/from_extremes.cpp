#include <graft/quantize/calibrate/observers/from_extremes.hpp>

#include <catch2/catch.hpp>
#include <graft/quantize/calibrate/observer.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include "quantize/statistics/parts.hpp"

using namespace graft;

TEST_CASE("fixed: the range that it was given, whatever is seen", "[quantize]") {
  const Fixed observer{{0, 6}};
  CHECK(observer.range(of({tensor_of({-2, 20})}, observer.start())) == Range{0, 6});
}

TEST_CASE("fixed: a range with its min above its max is refused before anything runs", "[quantize]") {
  CHECK_THROWS_WITH((Fixed{{6, -1}}.start()), "its min is above its max");
  Statistics<Extremes> seen(Extremes{});
  seen.of("x").add(tensor_of({1}), {1, 1});
  CHECK_THROWS_WITH(ranges_of(Fixed{{6, -1}}, seen), "x: its min is above its max");
}

TEST_CASE("min-max: from the least to the greatest, of a histogram too", "[quantize]") {
  const std::vector<Tensor> samples{tensor_of({-1, 0.3f}), tensor_of({7})};
  CHECK(MinMax().range(of(samples, MinMax().start())) == Range{-1, 7});
  CHECK(MinMax().range(of<Histogram>(samples)) == Range{-1, 7});
  CHECK(MinMax().range(Histogram()).empty());
}

TEST_CASE("moving average: the extremes of each sample, averaged by the weight", "[quantize]") {
  const MovingAverage observer{0.5};
  CHECK(observer.range(of({tensor_of({-2, 2}), tensor_of({-4, 6})}, observer.start())) == Range{-3, 4});
  CHECK(MovingAverage().start().weight() == 0.01);
}
