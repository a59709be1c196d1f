#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("Constant gives what its attribute holds") {
  CHECK(same(run(13, "Constant", {}, {{"value", counting({2, 2})}}), counting({2, 2})));
  CHECK(same(run(13, "Constant", {}, {{"value_float", 1.5}}), Tensor::scalar(1.5F)));
  CHECK(same(run(13, "Constant", {}, {{"value_ints", Ints{1, 2}}}), ints({1, 2})));
}

TEST_CASE("ConstantOfShape fills, with float zeros by default") {
  CHECK(same(run(9, "ConstantOfShape", {ints({2, 1})}), Tensor(DType::f32, {2, 1})));
  CHECK(same(run(9, "ConstantOfShape", {ints({2})}, {{"value", ints({7})}}), ints({7, 7})));
  CHECK(run(9, "ConstantOfShape", {ints({0, 3})}).dims() == Dims{0, 3});
  CHECK(run(9, "ConstantOfShape", {ints({})}).dims() == Dims{});
  CHECK(failure_of(9, "ConstantOfShape", {ints({-1})}) != "");
}

TEST_CASE("Range counts up and down, and may be empty") {
  const auto number = [](std::int64_t value) { return Tensor::scalar(value); };
  CHECK(same(run(11, "Range", {number(10), number(4), number(-2)}), ints({10, 8, 6})));
  CHECK(same(run(11, "Range", {Tensor::scalar(1.0F), Tensor::scalar(2.0F), Tensor::scalar(0.4F)}),
             floats({1, 1.4F, 1.8F})));
  CHECK(run(11, "Range", {number(4), number(4), number(1)}).dims() == Dims{0});
  CHECK(failure_of(11, "Range", {number(0), number(1), number(0)}) != "");
}

TEST_CASE("NonZero lists places axis by axis") {
  const Tensor x = Tensor::of<float>({2, 2}, {1, 0, 1, 1});
  CHECK(same(run(13, "NonZero", {x}), Tensor::of<std::int64_t>({2, 3}, {0, 1, 1, 0, 0, 1})));
}

TEST_CASE("Range counts integers exactly, and wraps") {
  const auto number = [](std::int64_t value) { return Tensor::scalar(value); };
  const std::int64_t large = std::int64_t{1} << 53;
  CHECK(same(run(11, "Range", {number(large), number(large + 1), number(1)}), ints({large})));
  const auto small = [](std::int32_t value) { return Tensor::scalar(value); };
  CHECK(same(run(11, "Range", {small(-2147483647 - 1), small(2147483647), small(1 << 30)}),
             Tensor::of<std::int32_t>({4}, {-2147483647 - 1, -(1 << 30), 0, 1 << 30})));
}
