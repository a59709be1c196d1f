#include <graft/quantize/calibrate/statistics/feature_moments.hpp>

#include <catch2/catch.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

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
