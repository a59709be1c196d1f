#include <limits>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

/// Reads the row 1 2 3 4 at places along it.
Tensor sample(std::vector<float> places, const Attributes& attributes) {
  const auto count = static_cast<std::int64_t>(places.size());
  std::vector<float> grid;
  for (const float place : places) grid.insert(grid.end(), {place, 0});
  const Tensor x = Tensor::of<float>({1, 1, 1, 4}, {1, 2, 3, 4});
  return run(20, "GridSample", {x, Tensor::of({1, 1, count, 2}, grid)}, attributes).reshaped({count});
}

}  // namespace

TEST_CASE("GridSample reads between elements") {
  CHECK(same(sample({-0.75F, -0.5F, 0}, {}), floats({1, 1.5F, 2.5F})));
  CHECK(same(sample({-1, 0, 1}, {{"align_corners", 1}}), floats({1, 2.5F, 4})));
  CHECK(same(sample({-0.6F, 0.1F}, {{"mode", "nearest"}}), floats({1, 3})));
  CHECK(same(sample({-1.0F / 3}, {{"mode", "cubic"}, {"align_corners", 1}}), floats({2})));
  CHECK(same(sample({0}, {{"mode", "cubic"}, {"align_corners", 1}}), floats({2.5F})));
  CHECK(failure_of(20, "GridSample", {counting({1, 1, 1, 4}), counting({1, 1, 1, 3})}) != "");
}

TEST_CASE("GridSample beyond the border") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(same(sample({-1, 1.125F, 9, infinity, nan}, {}), floats({0.5F, 1, 0, 0, 0})));
  CHECK(same(sample({-1, 1.25F, 9, infinity}, {{"padding_mode", "border"}}), floats({1, 4, 4, 4})));
  // From edge to edge, 0.25 of a cell beyond the last edge reads as far inside of it.
  CHECK(same(sample({1.5F, -1.5F}, {{"padding_mode", "reflection"}}), floats({3.5F, 1.5F})));
  CHECK(same(sample({5.0F / 3}, {{"padding_mode", "reflection"}, {"align_corners", 1}}), floats({3})));
  CHECK(same(sample({1.4F}, {{"padding_mode", "reflection"}, {"mode", "nearest"}}), floats({4})));
}

TEST_CASE("GridSample names the last axis first, and reads volumes") {
  const Tensor x = counting({1, 1, 2, 3});
  const Tensor corner = Tensor::of<float>({1, 1, 1, 2}, {1, -1});
  CHECK(run(16, "GridSample", {x, corner}, {{"align_corners", 1}}).item<float>() == 2);
  const Tensor volume = counting({1, 2, 2, 1, 2});
  const Tensor place = Tensor::of<float>({1, 1, 1, 1, 3}, {0, 0, 1});
  const Tensor y = run(20, "GridSample", {volume, place}, {{"align_corners", 1}});
  CHECK(same(y, Tensor::of<float>({1, 2, 1, 1, 1}, {2.5F, 6.5F})));
}

TEST_CASE("AffineGrid maps places from border to border") {
  const Tensor theta = Tensor::of<float>({1, 2, 3}, {1, 0, 0.5F, 0, 2, 0});
  const Tensor size = ints({1, 1, 2, 2});
  CHECK(same(run(20, "AffineGrid", {theta, size}, {{"align_corners", 1}}),
             Tensor::of<float>({1, 2, 2, 2}, {-0.5F, -2, 1.5F, -2, -0.5F, 2, 1.5F, 2})));
  CHECK(same(run(20, "AffineGrid", {theta, size}),
             Tensor::of<float>({1, 2, 2, 2}, {0, -1, 1, -1, 0, 1, 1, 1})));
  CHECK(failure_of(20, "AffineGrid", {theta, ints({1, 1, 2, 2, 2})}) != "");
}
