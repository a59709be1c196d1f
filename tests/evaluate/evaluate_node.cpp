#include <graft/evaluate/evaluate_node.hpp>

#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>
#include <graft/rewrite/context.hpp>
#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("a Context takes the embedded executor; what it cannot run gives nothing") {
  Context context;
  context.executor = node_executor();
  Builder build(17);
  Value& in = build.input("in", DType::f32, {2});
  const Node& neg = *build.op("Neg", {&in}).producer();
  const auto run = [&](const Node& node) {
    return context.executor(node, std::vector<Tensor>{Tensor::of<float>({2}, std::vector<float>{1, -2})});
  };
  const auto outputs = run(neg);
  REQUIRE(outputs);
  CHECK(outputs->at(0).to<float>() == std::vector<float>{-1, 2});
  CHECK_FALSE(run(*build.op("mine::Neg", {&in}).producer()));
}

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

TEST_CASE("a kernel that runs out of memory is an error that names the node") {
  Builder builder(13);
  builder.import("mine", 1);
  const Node& grab = *builder.op("mine::Grab", {&builder.input("x", DType::f32)}).producer();
  for (const auto& [kernel, message] : std::vector<std::pair<Kernel, std::string>>{
           {[](KernelContext&) { throw std::bad_alloc(); }, "not enough memory"},
           {[](KernelContext&) { throw std::length_error("long"); }, "exceeds memory"}}) {
    Kernels kernels;
    kernels.add("mine::Grab", kernel);
    CHECK_THROWS_AS(evaluate(grab, {floats({1})}, kernels), Error);
    CHECK_THROWS_WITH(evaluate(grab, {floats({1})}, kernels), Catch::Contains("Grab") && Catch::Contains(message));
  }
}
