#include <graft/evaluate/evaluate_node.hpp>

#include <catch2/catch.hpp>

#include <graft/graph/build.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("a node runs alone, with absent inputs undefined") {
  Builder builder(13);
  Value& x = builder.input("x", DType::f32);
  Value& high = builder.input("high", DType::f32);
  const Node& clip = *builder.op("Clip", {&x, nullptr, &high}).producer();
  CHECK(same(evaluate(clip, {floats({1, 9}), Tensor(), Tensor::scalar(6.0F)}).front(), floats({1, 6})));
}

TEST_CASE("a node that cannot run alone says so") {
  Builder builder(13);
  Value& x = builder.input("x", DType::f32);
  const Node& twist = *builder.op("Twist", {&x}).producer();
  CHECK_THROWS_WITH(evaluate(twist, {floats({1})}), Catch::Contains("no kernel for Twist of opset 13"));
  const Node& neg = *builder.op("Neg", {&x}).producer();
  CHECK_THROWS_WITH(evaluate(neg, {Tensor()}), Catch::Contains("input 0 is missing"));
}
