#include <graft/evaluate/kernel_context.hpp>

#include <catch2/catch.hpp>

#include <graft/graph/build.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("a kernel sees inputs, attributes with their defaults, and which outputs are wanted") {
  Builder builder(16);
  Value& x = builder.input("x", DType::f32);
  Node& node = builder.node("LeakyRelu", {&x, nullptr}, 2);
  builder.graph().omit(*node.output(1));
  std::vector<Tensor> inputs{floats({1}), Tensor()};
  std::vector<Tensor> outputs(2);
  KernelContext ctx(node, inputs, outputs);

  CHECK(ctx.opset() == 16);
  CHECK(ctx.has_input(0));
  CHECK_FALSE(ctx.has_input(1));
  CHECK_FALSE(ctx.has_input(2));
  CHECK(ctx.optional_input(1) == nullptr);
  CHECK_THROWS_WITH(ctx.input(1), "input 1 is missing");
  CHECK(ctx.attr<float>("alpha") == Approx(0.01));
  CHECK_THROWS_WITH(ctx.attr<float>("beta"), "beta: the attribute is required");
  CHECK(ctx.attr_or("beta", 2.0F) == 2);
  CHECK_FALSE(ctx.optional_attr<float>("beta").has_value());
  CHECK(ctx.has_output(0));
  CHECK_FALSE(ctx.has_output(1));

  ctx.set_output(0, ctx.take_input(0));
  ctx.set_output(2, floats({2}));
  CHECK(same(outputs[0], floats({1})));
  CHECK_FALSE(ctx.has_input(0));
  CHECK_THROWS_WITH(ctx.run_body("body", {}), Catch::Contains("body"));
}
