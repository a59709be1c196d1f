#include <graft/quantize/calibrate/statistics/moments.hpp>

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

TEST_CASE("feature moments: over every axis but the last", "[quantize]") {
  const FeatureMoments moments = of<FeatureMoments>({Tensor::of<float>({2, 2, 2}, {1, -4, 2, 5, 3, 6, -6, 9})});
  REQUIRE(moments.features().size() == 2);
  CHECK(moments.count() == 4);
  CHECK(moments.features()[0].range == Range{-6, 3});
  CHECK(moments.features()[1].range == Range{-4, 9});
  CHECK(moments.mean(0) == 0);
  CHECK(moments.mean(1) == 4);
  CHECK(moments.mean_square(0) == 12.5);
  CHECK(moments.mean_square(1) == 39.5);
  CHECK(of<FeatureMoments>({Tensor::of<float>({}, {3})}).mean_square(0) == 9);
  CHECK(FeatureMoments().features().empty());
}

TEST_CASE("feature moments weigh samples of other lengths by their values, and merge", "[quantize]") {
  const Tensor one = Tensor::of<float>({1, 1, 2}, {6, 1}), two = Tensor::of<float>({1, 2, 2}, {0, 3, 3, 5});
  const FeatureMoments whole = of<FeatureMoments>({one, Tensor(DType::f32, {1, 0, 2}), two});
  CHECK(whole.mean(0) == 3);
  CHECK(whole.mean(1) == 3);
  CHECK(merged(of<FeatureMoments>({one}), of<FeatureMoments>({two})) == whole);
  CHECK(merged(FeatureMoments(), whole) == whole);
  CHECK(merged(whole, FeatureMoments()) == whole);
  CHECK(restored(whole) == whole);
}

TEST_CASE("feature moments of other features do not merge", "[quantize]") {
  FeatureMoments two = of<FeatureMoments>({Tensor(DType::f32, {1, 2})});
  CHECK_THROWS_WITH(two.merge(of<FeatureMoments>({Tensor(DType::f32, {1, 3})})), "has 3 channels, had 2");
}
