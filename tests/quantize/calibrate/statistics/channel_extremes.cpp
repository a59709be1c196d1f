#include <graft/quantize/calibrate/statistics/channel_extremes.hpp>

#include <catch2/catch.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

TEST_CASE("channel extremes: over the batch and every axis behind the channels", "[quantize]") {
  const Tensor x = Tensor::of<float>({2, 2, 3}, {1, 2, 3, 10, -20, 30, 4, 5, 6, 40, 50, 60});
  const ChannelExtremes seen = of<ChannelExtremes>({x});
  CHECK(seen.ranges() == std::vector<Range>{{1, 6}, {-20, 60}});
  CHECK(seen.range() == Range{-20, 60});
  CHECK(seen.count() == 6);
  CHECK(of<ChannelExtremes>({tensor_of({1, 2, 6})}).ranges() == std::vector<Range>{{1, 6}});
  CHECK(of<ChannelExtremes>({Tensor::of<float>({2, 2}, {1, 2, 3, 4})}).ranges() ==
        std::vector<Range>{{1, 3}, {2, 4}});
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
