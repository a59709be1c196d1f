#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("activations of floats have their closed form") {
  const Tensor x = floats({-4, -1, 0, 1, 4});
  CHECK(same(run(13, "Relu", {x}), floats({0, 0, 0, 1, 4})));
  CHECK(same(run(16, "LeakyRelu", {x}), floats({-0.04F, -0.01F, 0, 1, 4})));
  CHECK(same(run(16, "LeakyRelu", {x}, {{"alpha", 0.5}}), floats({-2, -0.5F, 0, 1, 4})));
  CHECK(same(run(13, "HardSigmoid", {x}, {{"alpha", 0.25}, {"beta", 0.5}}), floats({0, 0.25F, 0.5F, 0.75F, 1})));
  CHECK(same(run(14, "HardSwish", {x}), floats({0, -1.0F / 3, 0, 2.0F / 3, 4})));
  CHECK(same(run(13, "Softsign", {x}), floats({-0.8F, -0.5F, 0, 0.5F, 0.8F})));
  CHECK(same(run(13, "ThresholdedRelu", {x}), floats({0, 0, 0, 0, 4})));
  CHECK(same(run(13, "Sigmoid", {floats({0, 1000, -1000})}), floats({0.5F, 1, 0})));
  CHECK(same(run(13, "Tanh", {floats({0, 1000, -1000})}), floats({0, 1, -1})));
  CHECK(same(run(13, "Softplus", {floats({0, 1000, -1000})}), floats({0.6931472F, 1000, 0})));
  CHECK(same(run(13, "Elu", {floats({1, -1000})}, {{"alpha", 2.0}}), floats({1, -2})));
  CHECK(same(run(20, "Gelu", {floats({0, 1, -1})}), floats({0, 0.8413447F, -0.1586553F})));
  CHECK(same(run(20, "Gelu", {floats({0, 1, -1})}, {{"approximate", "tanh"}}), floats({0, 0.8411920F, -0.1588080F})));
  CHECK(same(run(1, "com.microsoft::BiasGelu", {floats({1, 2}), floats({0, -3})}), floats({0.8413447F, -0.1586553F})));
  CHECK(same(run(9, "Shrink", {floats({-2, 0.25F, 2})}, {{"lambd", 0.5}, {"bias", 1.0}}), floats({-1, 0, 1})));
  CHECK(same(run(9, "Shrink", {ints({5, 0})}, {{"bias", std::nan("")}}), ints({0, 0})));  // as Cast has it
}

TEST_CASE("PRelu broadcasts its slope to the input, not the input to the slope") {
  const Tensor x = Tensor::of<float>({2, 2}, {-1, -2, 3, -4});
  CHECK(same(run(16, "PRelu", {x, floats({0.5F, 0.25F})}), Tensor::of<float>({2, 2}, {-0.5F, -0.5F, 3, -1})));
  CHECK(failure_of(16, "PRelu", {floats({1, 2}), x}).find("slope") != std::string::npos);
}

TEST_CASE("Clip takes its bounds from attributes before opset 11 and from inputs after") {
  const Tensor x = floats({-9, 2, 9});
  CHECK(same(run(6, "Clip", {x}, {{"min", 0.0}, {"max", 6.0}}), floats({0, 2, 6})));
  CHECK(same(run(11, "Clip", {x, Tensor::scalar(0.0F), Tensor::scalar(6.0F)}), floats({0, 2, 6})));
  CHECK(same(run(13, "Clip", {x, Tensor(), Tensor::scalar(6.0F)}), floats({-9, 2, 6})));
  CHECK(same(run(13, "Clip", {x}), x));
  CHECK(same(run(13, "Clip", {x, Tensor::scalar(5.0F), Tensor::scalar(1.0F)}), floats({1, 1, 1})));
}

TEST_CASE("an absent bound of Clip is the greatest number of the dtype, and an infinite one is none") {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const auto clipped = [&](DType dtype, int opset, const std::vector<Tensor>& bounds = {}) {
    std::vector<Tensor> inputs{Tensor::of<double>(dtype, {3}, {-infinite, 1, infinite})};
    inputs.insert(inputs.end(), bounds.begin(), bounds.end());
    return run(opset, "Clip", inputs).to<double>();
  };
  constexpr double f32 = std::numeric_limits<float>::max(), f64 = std::numeric_limits<double>::max();
  for (const int opset : {6, 11, 13}) CHECK(clipped(DType::f32, opset) == std::vector{-f32, 1.0, f32});
  CHECK(clipped(DType::f16, 13) == std::vector{-65504.0, 1.0, 65504.0});
  CHECK(clipped(DType::bf16, 13) == std::vector{-0x1.fep127, 1.0, 0x1.fep127});
  CHECK(clipped(DType::f64, 13) == std::vector{-f64, 1.0, f64});
  CHECK(clipped(DType::f32, 13, {Tensor::scalar(0.0F)}) == std::vector{0.0, 1.0, f32});
  const float unbounded = std::numeric_limits<float>::infinity();
  CHECK(clipped(DType::f32, 13, {Tensor::scalar(0.0F), Tensor::scalar(unbounded)}) ==
        std::vector{0.0, 1.0, infinite});
}

TEST_CASE("Clip and Relu keep quantized types") {
  const Tensor x = Tensor::of<std::int8_t>({3}, {-100, 3, 100});
  CHECK(same(run(14, "Relu", {x}), Tensor::of<std::int8_t>({3}, {0, 3, 100})));
  const Tensor low = Tensor::scalar<std::int8_t>(-5);
  const Tensor high = Tensor::scalar<std::int8_t>(5);
  CHECK(same(run(13, "Clip", {x, low, high}), Tensor::of<std::int8_t>({3}, {-5, 3, 5})));
  CHECK(same(run(13, "Clip", {ints({-7, 7}), Tensor::scalar<std::int64_t>(0)}), ints({0, 7})));
}

TEST_CASE("activations of half precision round once from float") {
  const Tensor x = Tensor::of<float>(DType::f16, {2}, {-2, 3});
  CHECK(same(run(13, "Relu", {x}), Tensor::of<float>(DType::f16, {2}, {0, 3})));
  CHECK(run(13, "Tanh", {x}).dtype() == DType::f16);
  CHECK(failure_of(13, "Tanh", {ints({1})}).find("i64") != std::string::npos);
}

TEST_CASE("Swish is x times the sigmoid of alpha x") {
  const float e = std::exp(1.0F);
  CHECK(same(run(24, "Swish", {floats({0, 1, -1})}), floats({0, e / (1 + e), -1 / (1 + e)})));
  CHECK(same(run(24, "Swish", {floats({1})}, {{"alpha", 0.0F}}), floats({0.5F})));
  CHECK(same(run(1, "com.microsoft::QuickGelu", {floats({1})}), floats({0.84579575F})));  // 1 / (1 + exp(-1.702))
}

TEST_CASE("Shrink of integers saturates") {
  CHECK(same(run(9, "Shrink", {Tensor::of<std::int32_t>({2}, {5, -5})}, {{"bias", 1e10F}}),
             Tensor::of<std::int32_t>({2}, {std::numeric_limits<std::int32_t>::min(),
                                            std::numeric_limits<std::int32_t>::max()})));
}

TEST_CASE("a Gelu of no known approximation, and a bias that is larger than its input, are refused") {
  CHECK(failure_of(20, "Gelu", {floats({1})}, {{"approximate", "erf"}}) != "");
  CHECK(failure_of(1, "com.microsoft::BiasGelu", {floats({1, 2}), counting({3, 2})}) != "");
}
