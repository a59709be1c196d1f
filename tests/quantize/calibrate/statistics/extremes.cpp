#include <graft/quantize/calibrate/statistics/extremes.hpp>

#include <catch2/catch.hpp>
#include "quantize/statistics/parts.hpp"

using namespace graft;

TEST_CASE("extremes: the least and the greatest value, of nothing none", "[quantize]") {
  CHECK(Extremes().range().empty());
  CHECK(of<Extremes>({tensor_of({3, -1}), tensor_of({}), tensor_of({2})}).range() == Range{-1, 3});
}

TEST_CASE("extremes do not depend on how the samples are split, to the bit", "[quantize]") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<Tensor> samples = random_samples(seed);
    const Extremes whole = of<Extremes>(samples);
    for (std::size_t cut = 0; cut <= samples.size(); ++cut)
      CHECK(merged(part<Extremes>(samples, 0, cut), part<Extremes>(samples, cut, samples.size())) == whole);
  }
  const Extremes negative_first = of<Extremes>({tensor_of({-0.0f, 0.0f})});
  CHECK_FALSE(std::signbit(negative_first.range().min));
}

TEST_CASE("extremes survive a file", "[quantize]") {
  CHECK(restored(Extremes()) == Extremes());
  const Extremes some = of<Extremes>({tensor_of({-0.1f, 1e30f})});
  CHECK(restored(some) == some);
}

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

TEST_CASE("moving extremes of parts merge to those of one run, except for rounding", "[quantize]") {
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

TEST_CASE("channel extremes: over the batch and every axis behind the channels", "[quantize]") {
  const Tensor x = Tensor::of<float>({2, 2, 3}, {1, 2, 3, 10, -20, 30, 4, 5, 6, 40, 50, 60});
  const ChannelExtremes seen = of<ChannelExtremes>({x});
  CHECK(seen.ranges() == std::vector<Range>{{1, 6}, {-20, 60}});
  CHECK(seen.range() == Range{-20, 60});
  CHECK(seen.count() == 6);
  CHECK(of<ChannelExtremes>({tensor_of({1, 2, 6})}).ranges() == std::vector<Range>{{1, 6}});
  CHECK(of<ChannelExtremes>({Tensor::of<float>({2, 2}, {1, 2, 3, 4})}).ranges() == std::vector<Range>{{1, 3}, {2, 4}});
  CHECK(ChannelExtremes().ranges().empty());
  CHECK(ChannelExtremes().range().empty());
}

TEST_CASE("channel extremes count values of one channel, and merge", "[quantize]") {
  const Tensor small = Tensor::of<float>({1, 2, 1}, {6, 1}), large = Tensor::of<float>({1, 2, 2}, {0, 3, 1, 1});
  const ChannelExtremes whole = of<ChannelExtremes>({small, Tensor(DType::f32, {0, 2, 1}), large});
  CHECK(whole.ranges() == std::vector<Range>{{0, 6}, {1, 1}});
  CHECK(whole.count() == 3);
  CHECK(merged(of<ChannelExtremes>({small}), of<ChannelExtremes>({large})) == whole);
  CHECK(merged(ChannelExtremes(), whole) == whole);
  CHECK(merged(whole, ChannelExtremes()) == whole);
  CHECK(restored(whole) == whole);
}

TEST_CASE("channel extremes of other channels do not merge", "[quantize]") {
  ChannelExtremes two = of<ChannelExtremes>({Tensor(DType::f32, {1, 2})});
  const ChannelExtremes three = of<ChannelExtremes>({Tensor(DType::f32, {1, 3})});
  CHECK_THROWS_WITH(two.merge(three), "has 3 channels, had 2");
  CHECK_THROWS_WITH(add(two, Tensor(DType::f32, {1, 3})), "has 3 channels, had 2");
}
