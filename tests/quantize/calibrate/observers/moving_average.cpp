#include <graft/quantize/calibrate/observers/moving_average.hpp>

#include <catch2/catch.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

TEST_CASE("moving average: the extremes of each sample, averaged by the weight", "[quantize]") {
  const MovingAverage observer{0.5};
  CHECK(observer.range(of({tensor_of({-2, 2}), tensor_of({-4, 6})}, observer.start())) == Range{-3, 4});
  CHECK(MovingAverage().start().weight() == 0.01);
}
