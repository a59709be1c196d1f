#include <graft/evaluate/kernels/normalization.hpp>

#include <cmath>

#include <catch2/catch.hpp>
#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

const Tensor scale = floats({1, 2}), bias = floats({0, 10}), mean = floats({1, -1}), variance = floats({4, 0.25F});

}  // namespace

TEST_CASE("BatchNormalization scales each channel by its statistics") {
  const Tensor x = Tensor::of<float>({1, 2, 2}, {1, 5, -1, 0});
  const Tensor y = Tensor::of<float>({1, 2, 2}, {0, 2, 10, 14});
  for (const int opset : {7, 9, 14, 15}) {
    CHECK(same(run(opset, "BatchNormalization", {x, scale, bias, mean, variance}, {{"epsilon", 0.0}}), y));
  }
  CHECK(same(run(15, "BatchNormalization", {Tensor::of<float>({1, 2}, {1, -1}), scale, bias, mean, variance}),
             Tensor::of<float>({1, 2}, {0, 10})));
}

TEST_CASE("BatchNormalization of half precision may have statistics in float") {
  const Tensor x = Tensor::of<float>(DType::f16, {1, 2, 1}, {5, 0});
  CHECK(same(run(15, "BatchNormalization", {x, scale, bias, mean, variance}, {{"epsilon", 0.0}}),
             Tensor::of<float>(DType::f16, {1, 2, 1}, {2, 14})));
}

TEST_CASE("BatchNormalization that is not spatial has statistics for each place") {
  const Tensor x = Tensor::of<float>({2, 1, 2}, {1, -1, 5, 0});
  CHECK(same(run(7, "BatchNormalization", {x, scale, bias, mean, variance}, {{"epsilon", 0.0}, {"spatial", 0}}),
             Tensor::of<float>({2, 1, 2}, {0, 10, 2, 14})));
}

TEST_CASE("BatchNormalization in training normalizes by the batch and moves the running statistics") {
  const Tensor x = Tensor::of<float>({2, 2, 1}, {1, 10, 3, 30});
  const std::vector<Tensor> y = run_op(15, "BatchNormalization", {x, floats({1, 1}), floats({0, 0}), mean, variance},
                                       {{"epsilon", 0.0}, {"momentum", 0.5}, {"training_mode", 1}}, 3);
  CHECK(same(y[0], Tensor::of<float>({2, 2, 1}, {-1, -1, 1, 1})));
  CHECK(same(y[1], floats({1.5F, 9.5F})));
  CHECK(same(y[2], floats({2.5F, 50.125F})));
}

TEST_CASE("BatchNormalization needs a statistic for each channel") {
  CHECK(failure_of(15, "BatchNormalization", {counting({1, 3, 1}), scale, bias, mean, variance}).find("3 channels") !=
        std::string::npos);
}

TEST_CASE("LRN divides by the squares of neighbouring channels, more of them behind than before") {
  const Tensor x = Tensor::of<float>({1, 4, 1}, {1, 2, 3, 4});
  const Attributes simple{{"size", 2}, {"alpha", 2.0F}, {"beta", 1.0F}, {"bias", 0.0F}};
  CHECK(same(run(13, "LRN", {x}, simple), Tensor::of<float>({1, 4, 1}, {1 / 5.0F, 2 / 13.0F, 3 / 25.0F, 4 / 16.0F})));
  const Attributes wide{{"size", 3}, {"alpha", 3.0F}, {"beta", 0.5F}, {"bias", 2.0F}};
  const Tensor y = run(13, "LRN", {x}, wide);
  CHECK(y.to<double>()[1] == Approx(2 / std::sqrt(16.0)));
  CHECK(y.to<double>()[3] == Approx(4 / std::sqrt(27.0)));
  CHECK(failure_of(13, "LRN", {x}, {{"size", 0}}) != "");
}

TEST_CASE("LpNormalization takes slices to norm 1") {
  const Tensor x = Tensor::of<float>({2, 2}, {3, -4, 1, 1});
  CHECK(same(run(22, "LpNormalization", {x}), Tensor::of<float>({2, 2}, {0.6F, -0.8F, 0.70710678F, 0.70710678F})));
  CHECK(same(run(1, "LpNormalization", {x}, {{"p", 1}, {"axis", 0}}),
             Tensor::of<float>({2, 2}, {0.75F, -0.8F, 0.25F, 0.2F})));
  CHECK(failure_of(22, "LpNormalization", {x}, {{"p", 3}}) != "");
}

TEST_CASE("MeanVarianceNormalization standardizes each channel, or over given axes") {
  const Tensor x = Tensor::of<float>({2, 2, 1, 1}, {1, 10, 3, 30});
  CHECK(same(run(13, "MeanVarianceNormalization", {x}), Tensor::of<float>({2, 2, 1, 1}, {-1, -1, 1, 1})));
  CHECK(same(run(13, "MeanVarianceNormalization", {Tensor::of<float>({2, 2}, {1, 3, 5, 5})}, {{"axes", Ints{1}}}),
             Tensor::of<float>({2, 2}, {-1, 1, 0, 0})));
}

TEST_CASE("MeanVarianceNormalization adds 1e-9 to the deviation") {
  const Tensor x = Tensor::of<float>({1, 1, 1, 2}, {0, 2e-9F});
  CHECK(same(run(13, "MeanVarianceNormalization", {x}), Tensor::of<float>({1, 1, 1, 2}, {-0.5F, 0.5F}), 1e-5));
}
