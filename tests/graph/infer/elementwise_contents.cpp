#include <graft/graph/infer/elementwise_contents.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::Dims;
using graft::DType;
using graft::Tensor;
using namespace graft::infer;

TEST_CASE("extents that broadcast") {
  const Dims a = {2, 1}, b = {3}, c = {4}, none = {};
  CHECK(broadcast_dims(std::vector<const Dims*>{&a, &b}) == Dims{2, 3});
  CHECK(broadcast_dims(std::vector<const Dims*>{&none, &a}) == Dims{2, 1});
  CHECK_FALSE(broadcast_dims(std::vector<const Dims*>{&b, &c}));
  const Dims tall = {1024, 1}, wide = {1, 1024};
  CHECK_FALSE(broadcast_dims(std::vector<const Dims*>{&tall, &wide}));
}

TEST_CASE("where an element of a broadcast operand comes from") {
  const Dims into = {2, 3};
  CHECK(broadcast_place(5, into, {2, 3}) == 5);
  CHECK(broadcast_place(5, into, {3}) == 2);
  CHECK(broadcast_place(5, into, {2, 1}) == 1);
  CHECK(broadcast_place(5, into, {}) == 0);
}

TEST_CASE("arithmetic on contents broadcasts") {
  CHECK(contents("Add", {{1, 2}, scalar(10)}) == "[11,12]");
  CHECK(contents("Sub", {{1, 2}, {10, 20}}) == "[-9,-18]");
  CHECK(contents("Mul", {{1, 2}, "i64[2]"}) == "[?,?]");
  CHECK(contents("Mul", {{0, 2}, "i64[2]"}) == "[0,?]");
  CHECK(contents("Div", {{-7, 7}, {2, 2}}) == "[-3,3]");
  CHECK(contents("Mod", {{-7, 7}, {3, -3}}) == "[2,-2]");
  CHECK(contents("Mod", {{-7, 7}, {3, -3}}, {{"fmod", 1}}) == "[-1,1]");
  CHECK(contents("Neg", {{1, -2}}) == "[-1,2]");
  CHECK(contents("Abs", {{1, -2}}) == "[1,2]");
  CHECK(contents("Min", {{1, 5}, {2, 4}}) == "[1,4]");
  CHECK(contents("Max", {{1, 5}, {2, 4}}) == "[2,5]");
  CHECK(contents("Add", {{1, 2}, {1, 2, 3}}) == "?");
  CHECK(contents("Add", {{1, 2}, {1, 2}}, {{"broadcast", 1}}, {.opset = 6}) == "?");
}

TEST_CASE("comparisons give bools, which choose") {
  CHECK(contents("Equal", {{1, 2}, {1, 3}}) == "[1,0]");
  CHECK(contents("Less", {{1, 2}, {2, 2}}) == "[1,0]");
  CHECK(contents("LessOrEqual", {{1, 2, 3}, {2, 2, 2}}) == "[1,1,0]");
  CHECK(contents("Greater", {{1, 2, 3}, {2, 2, 2}}) == "[0,0,1]");
  CHECK(contents("GreaterOrEqual", {{1, 2, 3}, {2, 2, 2}}) == "[0,1,1]");
  CHECK(contents("Not", {Tensor::of<bool>({2}, {true, false})}) == "[0,1]");
  CHECK(contents("And", {Tensor::of<bool>({2}, {true, false}), "bool[2]"}) == "[?,0]");
  CHECK(contents("Or", {Tensor::of<bool>({2}, {true, false}), "bool[2]"}) == "[1,?]");
  CHECK(contents("Where", {Tensor::of<bool>({2}, {true, false}), {1, 2}, {3, 4}}) == "[1,4]");
  CHECK(contents("Where", {"bool[2]", {1, 2}, {1, 4}}) == "[1,?]");
}

TEST_CASE("Cast between dtypes that are followed") {
  CHECK(contents("Cast", {{1, -2}}, {{"to", DType::i32}}) == "[1,-2]");
  CHECK(contents("Cast", {{5, 0}}, {{"to", DType::boolean}}) == "[1,0]");
  CHECK(contents("Cast", {{std::int64_t{1} << 40}}, {{"to", DType::i32}}) == "[?]");
  CHECK(contents("Cast", {{1}}, {{"to", DType::f32}}) == "?");
  CHECK(contents("Cast", {floats({1, 2})}, {{"to", DType::i64}}) == "?");
}

TEST_CASE("an i32 that overflows is unknown") {
  const Tensor large = Tensor::of<std::int32_t>({1}, {2000000000});
  CHECK(contents("Add", {large, large}) == "[?]");
  CHECK(contents("Add", {large, Tensor::of<std::int32_t>({1}, {1})}) == "[2000000001]");
}

TEST_CASE("Identity passes contents") {
  CHECK(contents("Identity", {{1, 2}}) == "[1,2]");
  CHECK(contents("Identity", {"i64[2]"}) == "[?,?]");
}
