#include <graft/quantize/calibrate/observers/min_max.hpp>

#include <catch2/catch.hpp>

#include <graft/quantize/calibrate/statistics/histogram.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

TEST_CASE("min-max: from the least to the greatest, of a histogram too", "[quantize]") {
  const std::vector<Tensor> samples{tensor_of({-1, 0.3f}), tensor_of({7})};
  CHECK(MinMax().range(of(samples, MinMax().start())) == Range{-1, 7});
  CHECK(MinMax().range(of<Histogram>(samples)) == Range{-1, 7});
  CHECK(MinMax().range(Histogram()).empty());
}
