#include "qonnx/ops/run_qonnx.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace graft;
using Catch::Contains;

namespace {

constexpr std::string_view op = "qonnx.custom_op.general::Im2Col";

}  // namespace

TEST_CASE("Im2Col makes a row of each window, channels innermost", "[qonnx]") {
  const Tensor x = Tensor::of<float>({1, 2, 3, 2}, {1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60});
  const Tensor y = run_qonnx(op, {x}, {{"kernel_size", {2, 2}}, {"stride", {1, 1}}});
  CHECK(y.dims() == Dims{1, 1, 2, 8});
  CHECK(numbers(y) == std::vector<float>{1, 10, 2, 20, 4, 40, 5, 50, 2, 20, 3, 30, 5, 50, 6, 60});
}

TEST_CASE("Im2Col pads, strides and dilates", "[qonnx]") {
  const Tensor x = Tensor::of<float>({2, 1, 3, 1}, {1, 2, 3, 4, 5, 6});
  const Tensor y = run_qonnx(op, {x}, {{"kernel_size", {1, 2}},
                                       {"stride", {1, 2}},
                                       {"dilations", {1, 2}},
                                       {"pad_amount", {0, 1, 0, 1}},
                                       {"pad_value", 9}});
  CHECK(y.dims() == Dims{2, 1, 2, 2});
  CHECK(numbers(y) == std::vector<float>{9, 2, 2, 9, 9, 5, 5, 9});
}

TEST_CASE("Im2Col refuses windows that are none", "[qonnx]") {
  const Tensor x(DType::f32, {1, 2, 2, 1});
  CHECK_THAT(qonnx_failure(op, {x}, {{"kernel_size", {3, 1}}, {"stride", {1, 1}}}), Contains("kernel_size: "));
  CHECK_THAT(qonnx_failure(op, {x}, {{"kernel_size", {1, 1}}, {"stride", {0, 1}}}), Contains("stride: "));
  CHECK_THAT(qonnx_failure(op, {x}, {{"kernel_size", {1, 1}}, {"stride", {1}}}), Contains("stride: "));
}
