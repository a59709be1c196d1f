#include "qonnx/ops/run_qonnx.hpp"

#include <cfenv>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;
using Catch::Contains;

namespace {

constexpr std::string_view op = "qonnx.custom_op.general::QuantAvgPool2d";

Attributes attributes(std::int64_t kernel, std::int64_t stride, std::int64_t ibits, std::int64_t obits,
                      std::string_view layout = "NCHW") {
  return {{"kernel", kernel}, {"stride", stride}, {"ibits", ibits}, {"obits", obits}, {"data_layout", layout}};
}

}  // namespace

TEST_CASE("QuantAvgPool2d sums windows, and shifts what has too many bits", "[qonnx]") {
  const Tensor x = Tensor::of<float>({1, 1, 2, 4}, {1, 2, 15, 15, 3, 4, 15, 15});
  // 4 * 15 has 6 bits: 2 are shifted out.
  CHECK(numbers(run_qonnx(op, {x}, attributes(2, 2, 4, 4))) == std::vector<float>{2, 15});
  CHECK(numbers(run_qonnx(op, {x}, attributes(2, 1, 4, 4))) == std::vector<float>{2, 9, 15});
  CHECK(numbers(run_qonnx(op, {x}, attributes(2, 2, 4, 8))) == std::vector<float>{10, 60});
  const Tensor negative = Tensor::of<float>({1, 1, 1, 1}, {-5});
  CHECK(numbers(run_qonnx(op, {negative}, attributes(1, 1, 4, 3))) == std::vector<float>{-3});  // -5 >> 1
}

TEST_CASE("QuantAvgPool2d sums integers exactly in any rounding mode of the thread", "[qonnx]") {
  const Tensor x = Tensor::of<float>({1, 1, 3, 3}, {2, 1, 1, 1, 1, 1, 1, 1, 1});
  const int before = std::fegetround();
  std::fesetround(FE_UPWARD);
  const std::vector<float> sum = numbers(run_qonnx(op, {x}, attributes(3, 3, 4, 16)));
  std::fesetround(before);
  CHECK(sum == std::vector<float>{10});
}

TEST_CASE("QuantAvgPool2d takes channels last", "[qonnx]") {
  const Tensor x = Tensor::of<float>({1, 2, 2, 2}, {1, 10, 2, 20, 3, 30, 4, 40});
  const Tensor y = run_qonnx(op, {x}, attributes(2, 2, 8, 16, "NHWC"));
  CHECK(y.dims() == Dims{1, 1, 1, 2});
  CHECK(numbers(y) == std::vector<float>{10, 100});
}

TEST_CASE("QuantAvgPool2d refuses what it cannot compute", "[qonnx]") {
  const Tensor x(DType::f32, {1, 1, 2, 2});
  CHECK_THAT(qonnx_failure(op, {x}, attributes(3, 1, 4, 4)), Contains("kernel: "));
  CHECK_THAT(qonnx_failure(op, {x}, attributes(0, 1, 4, 4)), Contains("kernel: "));
  CHECK_THAT(qonnx_failure(op, {x}, attributes(1, 1, 0, 4)), Contains("ibits: "));
  CHECK_THAT(qonnx_failure(op, {x}, {{"kernel", 1}, {"stride", 1}, {"ibits", 1}}), Contains("obits: "));
  CHECK_THAT(qonnx_failure(op, {x}, attributes(1, 1, 4, 4, "CHWN")), Contains("data_layout: "));
}
