#include <catch2/catch.hpp>
#include <graft/evaluate.hpp>
#include <graft/testing/text.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("LayerNormalization standardizes all axes from one on") {
  const Tensor x = Tensor::of<float>({2, 2}, {1, 3, 10, 30});
  const auto y = run_op(17, "LayerNormalization", {x, floats({1, 2}), floats({0, 100})}, {{"epsilon", 0.0}}, 3);
  CHECK(same(y[0], Tensor::of<float>({2, 2}, {-1, 102, -1, 102})));
  CHECK(same(y[1], Tensor::of<float>({2, 1}, {2, 20})));
  CHECK(same(y[2], Tensor::of<float>({2, 1}, {1, 0.1F})));
  CHECK(same(run(17, "LayerNormalization", {Tensor::of<float>({2, 1}, {1, 3}), Tensor::of<float>({2, 1}, {1, 1})},
                 {{"epsilon", 0.0}, {"axis", 0}}),
             Tensor::of<float>({2, 1}, {-1, 1})));
}

TEST_CASE("the moments of half precision are floats") {
  const Tensor x = Tensor::of<float>(DType::f16, {1, 2}, {1, 3});
  const auto y = run_op(17, "LayerNormalization", {x, Tensor::of<float>(DType::f16, {2}, {1, 1})}, {{"epsilon", 0.0}},
                        2);
  CHECK(same(y[0], Tensor::of<float>(DType::f16, {1, 2}, {-1, 1})));
  CHECK(y[1].dtype() == DType::f32);
}

TEST_CASE("InstanceNormalization standardizes each channel, GroupNormalization each group of them") {
  const Tensor x = Tensor::of<float>({1, 2, 2}, {1, 3, 10, 30});
  const Tensor scale = floats({1, 2}), bias = floats({0, 100});
  const Attributes exact{{"epsilon", 0.0}};
  CHECK(same(run(6, "InstanceNormalization", {x, scale, bias}, exact), Tensor::of<float>({1, 2, 2}, {-1, 1, 98, 102})));
  CHECK(same(run(21, "GroupNormalization", {x, scale, bias}, {{"epsilon", 0.0}, {"num_groups", 2}}),
             Tensor::of<float>({1, 2, 2}, {-1, 1, 98, 102})));
  const Tensor pairs = Tensor::of<float>({1, 2, 1}, {1, 3});
  CHECK(same(run(21, "GroupNormalization", {pairs, scale, bias}, {{"epsilon", 0.0}, {"num_groups", 1}}),
             Tensor::of<float>({1, 2, 1}, {-1, 102})));
  CHECK(failure_of(21, "GroupNormalization", {pairs, scale, bias}, {{"num_groups", 3}}).find("3 groups") !=
        std::string::npos);
}

TEST_CASE("RMSNormalization divides by the root of the mean square") {
  const Tensor x = Tensor::of<float>({2, 2}, {3, -3, 1, 7});
  const Attributes exact{{"epsilon", 0.0F}};
  CHECK(same(run(23, "RMSNormalization", {x, floats({1, 10})}, exact),
             Tensor::of<float>({2, 2}, {1, -10, 0.2F, 14})));
  CHECK(same(run(23, "RMSNormalization", {x, floats({1})}, {{"axis", 0}, {"epsilon", 47.0F}}),
             Tensor::of<float>({2, 2}, {3 / 8.0F, -3 / 8.0F, 1 / 8.0F, 7 / 8.0F})));
}

TEST_CASE("SimplifiedLayerNormalization is RMSNormalization, of a sum with Skip") {
  const Tensor x = Tensor::of<float>({2, 2}, {3, -3, 1, 7});
  const Attributes exact{{"epsilon", 0.0F}};
  CHECK(same(run(1, "SimplifiedLayerNormalization", {x, floats({1, 10})}, exact),
             Tensor::of<float>({2, 2}, {1, -10, 0.2F, 14})));
  const Model model = graph(
      "x: f32[2,2]; s: f32[2,2]; w = f32[2] {1, 10}; b = f32[2] 1;"
      "y, _, _, h = com.microsoft::SkipSimplifiedLayerNormalization(x, s, w, b) {epsilon=0.0}; return y, h");
  const Graph& summed = model.graph();
  const Tensor skip = Tensor::of<float>({2, 2}, {1, 1, 1, 2}), rest = Tensor::of<float>({2, 2}, {1, -5, -1, 4});
  const auto y = Evaluator(summed).run({{summed.inputs()[0], rest}, {summed.inputs()[1], skip}});
  CHECK(same(y[1], x));
  CHECK(same(y[0], Tensor::of<float>({2, 2}, {1, -10, 0.2F, 14})));
}

TEST_CASE("SkipLayerNormalization is LayerNormalization of a sum") {
  const Model model = graph(
      "x: f32[2,2]; s: f32[2,2]; w = f32[2] {1, 10}; b = f32[2] {0, 100}; c = f32[2] 1;"
      "y, _, _, h = com.microsoft::SkipLayerNormalization(x, s, w, b, c) {epsilon=0.0}; return y, h");
  const Graph& summed = model.graph();
  const Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4}), skip = Tensor::of<float>({2, 2}, {0, 5, 1, 0});
  const auto y = Evaluator(summed).run({{summed.inputs()[0], x}, {summed.inputs()[1], skip}});
  CHECK(same(y[1], Tensor::of<float>({2, 2}, {2, 8, 5, 5})));
  CHECK(y[0].to<float>()[0] == Approx(-1));
  CHECK(y[0].to<float>()[1] == Approx(110));
}

TEST_CASE("a scale or bias that is larger than the input is refused") {
  const Tensor x = counting({2, 3}), larger = counting({4, 2, 3}), row = floats({1, 1, 1});
  CHECK(failure_of(17, "LayerNormalization", {x, larger}) != "");
  CHECK(failure_of(17, "LayerNormalization", {x, row, larger}) != "");
  CHECK(failure_of(23, "RMSNormalization", {x, larger}) != "");
}
