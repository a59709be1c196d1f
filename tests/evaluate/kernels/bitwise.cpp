#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("bitwise operators on integers of any width") {
  const Tensor a = Tensor::of<std::uint8_t>({2}, {0b1100, 0xFF});
  const Tensor b = Tensor::of<std::uint8_t>({}, {0b1010});
  CHECK(same(run(18, "BitwiseAnd", {a, b}), Tensor::of<std::uint8_t>({2}, {0b1000, 0b1010})));
  CHECK(same(run(18, "BitwiseOr", {a, b}), Tensor::of<std::uint8_t>({2}, {0b1110, 0xFF})));
  CHECK(same(run(18, "BitwiseXor", {a, b}), Tensor::of<std::uint8_t>({2}, {0b0110, 0xF5})));
  CHECK(same(run(18, "BitwiseNot", {a}), Tensor::of<std::uint8_t>({2}, {0xF3, 0})));
  CHECK(same(run(18, "BitwiseNot", {ints({0, -2})}), ints({-1, 1})));
  CHECK(same(run(18, "BitwiseAnd", {ints({-1}), ints({std::int64_t{1} << 40})}), ints({std::int64_t{1} << 40})));
  CHECK(failure_of(18, "BitwiseAnd", {floats({1}), floats({1})}) != "");
  CHECK(failure_of(18, "BitwiseNot", {floats({1})}) != "");
}
