#include <limits>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("binary operators broadcast both ways") {
  const Tensor column = Tensor::of<float>({2, 1}, {10, 20});
  CHECK(same(run(13, "Add", {column, floats({1, 2, 3})}), Tensor::of<float>({2, 3}, {11, 12, 13, 21, 22, 23})));
  CHECK(same(run(13, "Sub", {floats({1, 2, 3}), column}), Tensor::of<float>({2, 3}, {-9, -8, -7, -19, -18, -17})));
  CHECK(same(run(13, "Mul", {Tensor::scalar(2.0F), column}), Tensor::of<float>({2, 1}, {20, 40})));
  CHECK(same(run(13, "Div", {column, Tensor::scalar(4.0F)}), Tensor::of<float>({2, 1}, {2.5F, 5})));
  CHECK(failure_of(13, "Add", {floats({1, 2}), floats({1, 2, 3})}).find("[2] and [3]") != std::string::npos);
  CHECK(failure_of(13, "Add", {floats({1}), ints({1})}).find("f32 and i64") != std::string::npos);
}

TEST_CASE("a value per channel meets an image") {
  const Tensor bias = Tensor::of<float>({3, 1, 1}, {100, 200, 300});
  const Tensor y = run(13, "Add", {counting({2, 3, 2, 2}), bias});
  CHECK(y.dims() == Dims{2, 3, 2, 2});
  const std::vector<float> values = y.to<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(values[i] == static_cast<float>(i) + 100 * static_cast<float>(1 + i / 4 % 3));
  }
}

TEST_CASE("empty tensors broadcast to empty tensors") {
  CHECK(run(13, "Add", {Tensor(DType::f32, {0, 3}), floats({1, 2, 3})}).dims() == Dims{0, 3});
}

TEST_CASE("an operand that meets itself is read before it is written") {
  Tensor x = floats({1, 2, 3});
  CHECK(same(run(13, "Mul", {x, x}), floats({1, 4, 9})));
  CHECK(same(x, floats({1, 2, 3})));
}

TEST_CASE("integers wrap, and divide towards zero") {
  const auto least = std::numeric_limits<std::int64_t>::min();
  CHECK(same(run(13, "Sub", {ints({least}), ints({1})}), ints({std::numeric_limits<std::int64_t>::max()})));
  CHECK(same(run(13, "Div", {ints({-7, 7, least}), ints({2, -2, -1})}), ints({-3, -3, least})));
  CHECK(same(run(14, "Add", {Tensor::of<std::uint8_t>({1}, {250}), Tensor::of<std::uint8_t>({1}, {10})}),
             Tensor::of<std::uint8_t>({1}, {4})));
  CHECK(failure_of(13, "Div", {ints({1}), ints({0})}).find("division by zero") != std::string::npos);
}

TEST_CASE("Mod has the sign of the divisor, with fmod that of the dividend") {
  CHECK(same(run(13, "Mod", {ints({-4, 7, 5}), ints({3, -3, 8})}), ints({2, -2, 5})));
  CHECK(same(run(13, "Mod", {ints({-4, 7, 5}), ints({3, -3, 8})}, {{"fmod", 1}}), ints({-1, 1, 5})));
  CHECK(same(run(13, "Mod", {floats({-4.5F}), floats({2})}, {{"fmod", 1}}), floats({-0.5F})));
}

TEST_CASE("variadic operators fold any number of inputs") {
  const Tensor a = floats({1, 5});
  CHECK(same(run(13, "Sum", {a, floats({2, 2}), floats({3, 3})}), floats({6, 10})));
  CHECK(same(run(13, "Mean", {a, floats({3, 1})}), floats({2, 3})));
  CHECK(same(run(13, "Max", {a}), a));
  CHECK(same(run(13, "Min", {a, floats({2, 2})}), floats({1, 2})));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(same(run(13, "Max", {floats({nan, 1}), floats({1, nan})}), floats({nan, nan})));
}

TEST_CASE("BitShift moves unsigned bits") {
  const Tensor x = Tensor::of<std::uint8_t>({2}, {16, 255});
  const Tensor by = Tensor::of<std::uint8_t>({2}, {2, 7});
  CHECK(same(run(11, "BitShift", {x, by}, {{"direction", "RIGHT"}}), Tensor::of<std::uint8_t>({2}, {4, 1})));
  CHECK(same(run(11, "BitShift", {x, by}, {{"direction", "LEFT"}}), Tensor::of<std::uint8_t>({2}, {64, 128})));
}

TEST_CASE("BitShift goes left or right") {
  const Tensor x = Tensor::of<std::uint8_t>({1}, {8});
  CHECK(failure_of(11, "BitShift", {x, x}, {{"direction", "UP"}}) != "");
  CHECK(failure_of(11, "BitShift", {x, x}) != "");
}
