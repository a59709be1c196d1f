#include <limits>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("TopK gives the largest or smallest with their places, the first of equals first") {
  const Tensor x = Tensor::of<float>({2, 3}, {1, 3, 3, -1, 0, -2});
  const auto largest = run_op(11, "TopK", {x, ints({2})}, {}, 2);
  CHECK(same(largest[0], Tensor::of<float>({2, 2}, {3, 3, 0, -1})));
  CHECK(same(largest[1], Tensor::of<std::int64_t>({2, 2}, {1, 2, 1, 0})));
  const auto smallest = run_op(11, "TopK", {x, ints({1})}, {{"axis", 0}, {"largest", 0}}, 2);
  CHECK(same(smallest[0], Tensor::of<float>({1, 3}, {-1, 0, -2})));
  CHECK(same(smallest[1], Tensor::of<std::int64_t>({1, 3}, {1, 1, 1})));
  CHECK(same(run_op(1, "TopK", {x}, {{"k", 1}}, 2)[1], Tensor::of<std::int64_t>({2, 1}, {1, 1})));
  CHECK(failure_of(11, "TopK", {x, ints({4})}) != "");
}

TEST_CASE("TopK orders every type, NaN above all") {
  const float undefined = std::numeric_limits<float>::quiet_NaN();
  CHECK(same(run_op(11, "TopK", {floats({5, undefined, -0.0F}), ints({2})}, {}, 2)[1], ints({1, 0})));
  CHECK(same(run_op(11, "TopK", {ints({-1, 1, 0}), ints({3})}, {}, 2)[1], ints({1, 2, 0})));
  const std::uint64_t large = std::numeric_limits<std::uint64_t>::max();
  CHECK(same(run_op(11, "TopK", {Tensor::of<std::uint64_t>({2}, {1, large}), ints({1})}, {}, 2)[1], ints({1})));
}

TEST_CASE("Unique elements, in order or as they come") {
  const Tensor x = floats({2, 1, 1, 3, 2});
  const auto sorted = run_op(11, "Unique", {x}, {}, 4);
  CHECK(same(sorted[0], floats({1, 2, 3})));
  CHECK(same(sorted[1], ints({1, 0, 3})));
  CHECK(same(sorted[2], ints({1, 0, 0, 2, 1})));
  CHECK(same(sorted[3], ints({2, 2, 1})));
  const auto met = run_op(11, "Unique", {x}, {{"sorted", 0}}, 4);
  CHECK(same(met[0], floats({2, 1, 3})));
  CHECK(same(met[1], ints({0, 1, 3})));
  CHECK(same(met[2], ints({0, 1, 1, 2, 0})));
  CHECK(run(11, "Unique", {floats({})}).dims() == Dims{0});
}

TEST_CASE("Unique slices along an axis") {
  const Tensor x = Tensor::of<float>({2, 3}, {1, 0, 1, 2, 0, 2});
  const auto columns = run_op(11, "Unique", {x}, {{"axis", 1}}, 4);
  CHECK(same(columns[0], Tensor::of<float>({2, 2}, {0, 1, 0, 2})));
  CHECK(same(columns[2], ints({1, 0, 1})));
}
