#include <graft/quantize/calibrate/statistics/head_magnitudes.hpp>

#include <vector>

#include <catch2/catch.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

namespace {

/// Two heads of three features, in one step and in two.
const Tensor one = Tensor::of<float>({1, 2, 1, 3}, {3, -4, 1, 0, 0, -2});
const Tensor two = Tensor::of<float>({1, 2, 2, 3}, {-5, 0, 0, 0, 1, 0.5, 6, 8, 0, 0, 0, 3});

HeadMagnitudes rotated(RotatedFeatures features, const std::vector<Tensor>& samples) {
  return of(samples, HeadMagnitudes(features));
}

}  // namespace

TEST_CASE("head magnitudes: the greatest of each feature of each head", "[quantize]") {
  const HeadMagnitudes seen = of<HeadMagnitudes>({one, two});
  CHECK(seen.heads() == 2);
  CHECK(seen.size() == 3);
  CHECK(seen.each() == std::vector<float>{5, 4, 1, 6, 8, 3});
}

TEST_CASE("features that are rotated share the magnitude of their pair", "[quantize]") {
  CHECK(rotated({2, false}, {one, two}).each() == std::vector<float>{5, 5, 1, 10, 10, 3});
  const Tensor four = Tensor::of<float>({1, 1, 1, 4}, {3, 5, 4, 12});
  CHECK(rotated({4, false}, {four}).each() == std::vector<float>{5, 13, 5, 13});
  CHECK(rotated({2, true}, {Tensor::of<float>({1, 1, 1, 4}, {3, 4, 1, 2})}).each() == std::vector<float>{5, 5, 1, 2});
  CHECK(rotated({4, true}, {Tensor::of<float>({1, 1, 1, 4}, {3, 4, 5, 12})}).each() ==
        std::vector<float>{5, 5, 13, 13});
}

TEST_CASE("head magnitudes merge, and come back from bytes", "[quantize]") {
  const HeadMagnitudes whole = rotated({2, true}, {one, Tensor(DType::f32, {1, 2, 0, 3}), two});
  CHECK(merged(rotated({2, true}, {one}), rotated({2, true}, {two})) == whole);
  CHECK(merged(HeadMagnitudes({2, true}), whole) == whole);
  CHECK(merged(whole, HeadMagnitudes({2, true})) == whole);
  CHECK(restored(whole) == whole);
}

TEST_CASE("head magnitudes of other heads do not merge", "[quantize]") {
  HeadMagnitudes seen = of<HeadMagnitudes>({one});
  CHECK_THROWS_WITH(add(seen, Tensor(DType::f32, {1, 1, 1, 3})), "has 1 heads of 3, had 2 of 3");
  CHECK_THROWS_WITH(add(seen, Tensor(DType::f32, {3})), "has rank 1, not 4");
  CHECK_THROWS_WITH(seen.merge(HeadMagnitudes({2, false})), "other features are rotated");
  CHECK_THROWS_WITH(rotated({4, false}, {one}), "4 features of a head of 3 are rotated");
}
