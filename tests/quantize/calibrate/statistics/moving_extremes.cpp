#include <graft/quantize/calibrate/statistics/moving_extremes.hpp>

#include <catch2/catch.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

namespace {

const MovingExtremes quarter(0.25);

}  // namespace

TEST_CASE("moving extremes start at the first sample's and move towards the next by the weight", "[quantize]") {
  MovingExtremes moving = quarter;
  CHECK(moving.averages().empty());
  add(moving, tensor_of({-1, 4}));
  CHECK(moving.averages() == Range{-1, 4});
  add(moving, tensor_of({3, 8}));
  CHECK(moving.averages() == Range{0, 5});
  add(moving, tensor_of({}));
  CHECK(moving.averages() == Range{0, 5});
}

TEST_CASE("moving extremes of parts merge to those of one run, but for rounding", "[quantize]") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<Tensor> samples = random_samples(seed);
    const Range whole = of(samples, quarter).averages();
    for (std::size_t cut = 0; cut <= samples.size(); ++cut) {
      const Range both = merged(part(samples, 0, cut, quarter), part(samples, cut, samples.size(), quarter)).averages();
      CHECK(both.min == Approx(whole.min));
      CHECK(both.max == Approx(whole.max));
    }
  }
}

TEST_CASE("moving extremes refuse weights that are none, and to merge with those of another weight", "[quantize]") {
  for (const double weight : {0.0, -1.0, 1.5, double(NAN)}) CHECK_THROWS_AS(MovingExtremes(weight), Error);
  MovingExtremes moving = quarter;
  CHECK_THROWS_WITH(moving.merge(MovingExtremes(0.5)), "moving averages of two weights do not merge");
}

TEST_CASE("moving extremes survive a file, weight and all", "[quantize]") {
  const MovingExtremes some = of({tensor_of({-1, 4}), tensor_of({3, 8})}, quarter);
  CHECK(restored(some) == some);
  CHECK(restored(quarter) == quarter);
}
