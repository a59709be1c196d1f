#include <graft/quantize/calibrate/statistics/channel_means.hpp>

#include <catch2/catch.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

TEST_CASE("channel means: over the batch and every axis behind the channels", "[quantize]") {
  const Tensor x = Tensor::of<float>({2, 2, 3}, {1, 2, 3, 10, 20, 30, 4, 5, 6, 40, 50, 60});
  CHECK(of<ChannelMeans>({x}).means() == std::vector<double>{3.5, 35});
  CHECK(of<ChannelMeans>({tensor_of({1, 2, 6})}).means() == std::vector<double>{3});
  CHECK(of<ChannelMeans>({Tensor::of<float>({2, 2}, {1, 2, 3, 4})}).means() == std::vector<double>{2, 3});
  CHECK(ChannelMeans().means().empty());
}

TEST_CASE("channel means weigh samples of other extents by their values, and merge", "[quantize]") {
  const Tensor small = Tensor::of<float>({1, 2, 1}, {6, 1}), large = Tensor::of<float>({1, 2, 2}, {0, 3, 1, 1});
  const ChannelMeans whole = of<ChannelMeans>({small, Tensor(DType::f32, {0, 2, 1}), large});
  CHECK(whole.means() == std::vector<double>{3, 1});
  CHECK(merged(of<ChannelMeans>({small}), of<ChannelMeans>({large})) == whole);
  CHECK(merged(ChannelMeans(), whole) == whole);
  CHECK(merged(whole, ChannelMeans()) == whole);
  CHECK(restored(whole) == whole);
}

TEST_CASE("channel means of other channels do not merge", "[quantize]") {
  ChannelMeans two = of<ChannelMeans>({Tensor(DType::f32, {1, 2})});
  const ChannelMeans three = of<ChannelMeans>({Tensor(DType::f32, {1, 3})});
  CHECK_THROWS_WITH(two.merge(three), "has 3 channels, had 2");
  CHECK_THROWS_WITH(add(two, Tensor(DType::f32, {1, 3})), "has 3 channels, had 2");
}
