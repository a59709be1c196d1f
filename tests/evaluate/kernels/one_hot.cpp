#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("OneHot marks indices along a new axis") {
  const Tensor depth = Tensor::scalar<std::int64_t>(3);
  const Tensor values = floats({-1, 5});
  CHECK(same(run(11, "OneHot", {ints({1, -1, 3}), depth, values}),
             Tensor::of<float>({3, 3}, {-1, 5, -1, -1, -1, 5, -1, -1, -1})));
  CHECK(same(run(11, "OneHot", {ints({1, 0}), depth, values}, {{"axis", 0}}),
             Tensor::of<float>({3, 2}, {-1, 5, 5, -1, -1, -1})));
  CHECK(same(run(9, "OneHot", {ints({-1}), depth, ints({0, 1})}), Tensor::of<std::int64_t>({1, 3}, {0, 0, 0})));
  CHECK(failure_of(11, "OneHot", {ints({1}), Tensor::scalar<std::int64_t>(0), values}) != "");
}
