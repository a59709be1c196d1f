#include <graft/evaluate/backward_context.hpp>

#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>
#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("a BackwardContext has the node's inputs and outputs, and the gradients of outputs") {
  Builder builder(17);
  const Node& node = *builder.op("LeakyRelu", {&builder.input("x", DType::f32, {2})}, {{"alpha", 0.5F}}).producer();
  std::vector<Tensor> inputs{floats({1, 2})}, outputs{floats({3, 4}), Tensor()}, gradients(1);
  std::vector<Tensor> of_outputs{floats({5, 6}), Tensor()};
  const std::vector<bool> wanted{true};
  BackwardContext context(node, inputs, outputs, of_outputs, wanted, gradients);
  CHECK(same(context.input(0), floats({1, 2})));
  CHECK(same(context.output(0), floats({3, 4})));
  CHECK_THROWS_WITH(context.output(1), Catch::Contains("output 1 is missing"));
  CHECK(same(context.output_gradient(), floats({5, 6})));
  CHECK(same(*context.output_gradient(0), floats({5, 6})));
  CHECK(context.output_gradient(1) == nullptr);
  CHECK(context.output_gradient(2) == nullptr);
  CHECK(context.attr<float>("alpha") == 0.5F);
  CHECK(context.needs(0));
  CHECK_FALSE(context.needs(1));
  context.set_gradient(0, floats({7}));
  CHECK(same(gradients[0], floats({7})));
  of_outputs[1] = floats({1});
  CHECK_THROWS_WITH(context.output_gradient(), Catch::Contains("gradient of output 1"));
}
