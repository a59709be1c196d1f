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

TEST_CASE("BatchNormalization wants a statistic for each channel") {
  CHECK(failure_of(15, "BatchNormalization", {counting({1, 3, 1}), scale, bias, mean, variance}).find("3 channels") !=
        std::string::npos);
}
