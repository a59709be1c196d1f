#include <graft/evaluate/backward.hpp>

#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>
#include <graft/graph/operators.hpp>
#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("gradients are those of the wanted inputs") {
  Builder builder(17);
  const Node& mul =
      *builder.op("Mul", {&builder.input("a", DType::f32, {2}), &builder.input("b", DType::f32, {2})}).producer();
  const std::vector<Tensor> inputs{floats({2, 3}), floats({5, 7})}, g{floats({1, 10})};
  const std::vector<Tensor> both = backward(mul, inputs, {}, g, {true, true});
  CHECK(same(both[0], floats({5, 70})));
  CHECK(same(both[1], floats({2, 30})));
  const std::vector<Tensor> second = backward(mul, inputs, {}, g, {false, true});
  CHECK_FALSE(second[0]);
  CHECK(same(second[1], floats({2, 30})));
}

TEST_CASE("gradients of zero and of inputs without floats are undefined") {
  Builder builder(17);
  Value& x = builder.input("x", DType::f32, {4});
  const Node& gather = *builder.op("Gather", {&x, &builder.input("i", DType::i64, {2})}).producer();
  const std::vector<Tensor> inputs{floats({1, 2, 3, 4}), ints({3, 3})};
  const std::vector<Tensor> gradients =
      backward(gather, inputs, {}, std::vector<Tensor>{floats({1, 2})}, {true, true});
  CHECK(same(gradients[0], floats({0, 0, 0, 3})));
  CHECK_FALSE(gradients[1]);
  CHECK_FALSE(backward(gather, inputs, {}, {}, {true, true})[0]);
  CHECK_FALSE(backward(gather, inputs, {}, std::vector<Tensor>(1), {true, true})[0]);
}

TEST_CASE("an absent part of a Split has a gradient of zero") {
  Builder builder(13);
  Node& split = builder.graph().insert("Split", std::vector<Value*>{&builder.input("x", DType::f32, {4})}, 2);
  const std::vector<Tensor> g{Tensor(), floats({1, 2})};
  CHECK(same(backward(split, std::vector<Tensor>{floats({1, 2, 3, 4})}, {}, g, {true})[0], floats({0, 0, 1, 2})));
}

TEST_CASE("what cannot be differentiated is an error that names the node") {
  Builder builder(17);
  Value& x = builder.input("x", DType::f32, {2});
  const Node& floor = *builder.op("Floor", {&x}).producer();
  const std::vector<Tensor> inputs{floats({1, 2})}, g{floats({1, 1})};
  CHECK_FALSE(has_backward(floor));
  CHECK_THROWS_WITH(backward(floor, inputs, {}, g, {true}),
                    Catch::Contains("no backward kernel for Floor of opset 17") && Catch::Contains("node"));
  const Node& relu = *builder.op("Relu", {&x}).producer();
  CHECK(has_backward(relu));
  CHECK_THROWS_WITH(backward(relu, inputs, {}, g, {}), Catch::Contains("Relu") && Catch::Contains("wanted"));
  CHECK_THROWS_WITH(backward(relu, std::vector<Tensor>(1), {}, g, {true, false}), Catch::Contains("wanted"));
  CHECK_THROWS_WITH(backward(relu, inputs, inputs, std::vector<Tensor>{floats({1})}, {true}),
                    Catch::Contains("gradient of [1] for output 0 of [2]"));
  CHECK_THROWS_WITH(backward(relu, inputs, inputs, std::vector<Tensor>{ints({1, 1})}, {true}),
                    Catch::Contains("i64[2], not f32"));
  const std::vector<Tensor> doubles{Tensor::of<double>({2}, {1, 2})};
  CHECK_THROWS_WITH(backward(relu, doubles, {}, g, {true}), Catch::Contains("f64"));
}

TEST_CASE("a backward kernel that sets wrong dims is an error") {
  Builder builder(17);
  const Node& relu = *builder.op("Relu", {&builder.input("x", DType::f32, {2})}).producer();
  BackwardKernels kernels;
  kernels.add("Relu", [](BackwardContext& ctx) { ctx.set_gradient(0, floats({1, 2, 3})); });
  CHECK_THROWS_WITH(
      backward(relu, std::vector<Tensor>{floats({1, 2})}, {}, std::vector<Tensor>{floats({1, 1})}, {true}, nullptr,
               kernels),
      Catch::Contains("[3] for input 0 of [2]"));
}
