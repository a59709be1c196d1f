#include <limits>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/evaluate/backward.hpp>
#include <graft/graph/build.hpp>
#include "evaluate/backward/gradient_faults.hpp"
#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("the gradients of activations are slopes") {
  for (const char* model : {
           "x: f32[2,3,70]; y = Relu(x)",
           "x: f32[2,30]; low = f32[] -0.5; high = f32[] 0.25; y = Clip(x, low, high)",
           "x: f32[2,30]; high = f32[1] 0.25; y = Clip(x, _, high)",
           "x: f32[30]; low = f32[] 0.5; high = f32[] -0.5; y = Clip(x, low, high)",
           "x: f32[30]; y = Clip(x)",
           "opset 6; x: f32[30]; y = Clip(x) {min=-0.3, max=0.4}",
           "x: f32[2,3,5]; s: f32[3,1]; y = PRelu(x, s)",
           "x: f32[2,3]; s: f32[]; y = PRelu(x, s)",
           "x = f32[30] random(-4, 4); y = HardSigmoid(x)",
           "x = f32[30] random(-2, 2); y = HardSigmoid(x) {alpha=0.5, beta=0.3}",
           "x = f32[40] random(-5, 5); y = HardSwish(x)",
           "x: f32[30]; y = Selu(x)",
           "x: f32[30]; y = LeakyRelu(x) {alpha=0.2}",
           "x: f32[30]; y = Elu(x) {alpha=0.7}",
           "x: f32[30]; y = Celu(x) {alpha=0.7}",
           "x: f32[30]; y = ThresholdedRelu(x) {alpha=0.2}",
           "x = f32[30] random(-6, 6); y = Sigmoid(x)",
           "x = f32[30] random(-4, 4); y = Tanh(x)",
           "x = f32[30] random(-6, 6); y = Softplus(x)",
           "x = f32[30] random(-4, 4); y = Softsign(x)",
           "opset 18; x = f32[30] random(-4, 4); y = Mish(x)",
           "opset 20; x = f32[30] random(-4, 4); y = Gelu(x)",
           "opset 20; x = f32[30] random(-4, 4); y = Gelu(x) {approximate=\"tanh\"}",
           "opset 24; x = f32[30] random(-4, 4); y = Swish(x) {alpha=1.5}",
           "x = f32[30] random(-4, 4); y = com.microsoft::Gelu(x)",
           "x = f32[30] random(-4, 4); y = com.microsoft::QuickGelu(x)",
           "x: f32[4,5]; b: f32[5]; y = com.microsoft::BiasGelu(x, b)",
           "x: f32[4,5]; b: f32[5]; y = com.microsoft::FastGelu(x, b)",
           "x: f32[4,5]; y = com.microsoft::FastGelu(x)",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}

TEST_CASE("at kinks, gradients are one-sided") {
  Builder builder(17);
  Value& x = builder.input("x", DType::f32);
  const Tensor g = floats({1, 10, 100});
  const Node& relu = *builder.op("Relu", {&x}).producer();
  CHECK(same(backward(relu, std::vector<Tensor>{floats({-1, 0, 1})}, {}, {&g, 1}, {true})[0], floats({0, 0, 100})));
  Value& low = builder.input("low", DType::f32);
  const Node& clip = *builder.op("Clip", {&x, &low, &builder.input("high", DType::f32)}).producer();
  std::vector<Tensor> inputs{floats({0, 6, 7}), Tensor::scalar(0.0F), Tensor::scalar(6.0F)};
  CHECK(same(backward(clip, inputs, {}, {&g, 1}, {true, true, true})[0], floats({1, 10, 0})));
  CHECK(same(backward(clip, inputs, {}, {&g, 1}, {true, true, true})[2], Tensor::scalar(100.0F)));
  inputs[1] = Tensor::scalar(std::numeric_limits<float>::quiet_NaN());
  CHECK(same(backward(clip, inputs, {}, {&g, 1}, {true, true, true})[0], floats({1, 10, 0})));
  CHECK(same(backward(clip, inputs, {}, {&g, 1}, {true, true, true})[1], Tensor::scalar(0.0F)));
}
