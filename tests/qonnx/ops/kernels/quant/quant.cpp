#include "qonnx/ops/run_qonnx.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;
using Catch::Contains;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
const float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Of the standard domain.
std::vector<float> quant(const std::vector<float>& x, float scale, float zero_point, float bits,
                         const Attributes& attributes = {}) {
  return numbers(run_qonnx("qonnx.custom_op.general::Quant",
                           {vector_of(x), number(scale), number(zero_point), number(bits)}, attributes));
}

}  // namespace

TEST_CASE("Quant clamps to the bounds of its bits, sign and range", "[qonnx]") {
  const std::vector<float> x{-9, -2, -0.6F, 0.4F, 1.6F, 9};
  CHECK(quant(x, 1, 0, 2) == std::vector<float>{-2, -2, -1, 0, 1, 1});
  CHECK(quant(x, 1, 0, 2, {{"narrow", 1}}) == std::vector<float>{-1, -1, -1, 0, 1, 1});
  CHECK(quant(x, 1, 0, 2, {{"signed", 0}}) == std::vector<float>{0, 0, 0, 0, 2, 3});
  CHECK(quant(x, 1, 0, 2, {{"signed", 0}, {"narrow", 1}}) == std::vector<float>{0, 0, 0, 0, 2, 2});
  CHECK(quant(x, 0.5F, 0, 4) == std::vector<float>{-4, -2, -0.5F, 0.5F, 1.5F, 3.5F});
}

TEST_CASE("the zero point is added before the clamp, and before ties are broken", "[qonnx]") {
  CHECK(quant({-2.5F, -1.5F, -0.5F, 0.5F, 1.5F}, 1, 1, 8) == std::vector<float>{-3, -1, -1, 1, 1});
  CHECK(quant({-3, 0, 200, 300}, 1, 100, 8) == std::vector<float>{-3, 0, 27, 27});
  CHECK(quant({-30, 30}, 2, -3, 4) == std::vector<float>{-10, 20});
}

TEST_CASE("zero points and bit widths may be integers", "[qonnx]") {
  const auto of_integers = [](const Tensor& zero_point, const Tensor& bits) {
    return numbers(
        run_qonnx("qonnx.custom_op.general::Quant", {vector_of({-2.5F, -1.5F, 0.5F, 9}), number(1), zero_point, bits}));
  };
  const std::vector<float> expected = quant({-2.5F, -1.5F, 0.5F, 9}, 1, 1, 3);
  CHECK(of_integers(Tensor::scalar(std::int64_t{1}), Tensor::scalar(std::int32_t{3})) == expected);
  CHECK(of_integers(Tensor::of<std::int8_t>({4}, {1, 1, 1, 1}), number(3)) == expected);
}

TEST_CASE("one bit with sign is -1 or 1, without is 0 or 1", "[qonnx]") {
  const std::vector<float> x{-3, -0.1F, -0.0F, 0, 0.2F, 7, not_a_number, -infinity};
  CHECK(quant(x, 0.5F, 0, 1) == std::vector<float>{-0.5F, -0.5F, 0.5F, 0.5F, 0.5F, 0.5F, -0.5F, -0.5F});
  CHECK(quant(x, 0.5F, 2, 1) == std::vector<float>{-1.5F, -0.5F, -0.5F, -0.5F, -0.5F, -0.5F, -1.5F, -1.5F});
  CHECK(quant(x, 1, 0, 1, {{"signed", 0}}) == std::vector<float>{0, 0, 0, 0, 0, 1, nan_here, 0});
}

TEST_CASE("a fractional width clamps first and rounds then", "[qonnx]") {
  // 2^6.5 - 1 = 89.51
  CHECK(quant({-200, 200}, 1, 0, 7.5F) == std::vector<float>{-91, 90});
  CHECK(quant({-200, 200}, 1, 0, 7.5F, {{"rounding_mode", "FLOOR"}}) == std::vector<float>{-91, 89});
  CHECK(quant({-200, 200}, 1, 0, 7.5F, {{"rounding_mode", "CEIL"}}) == std::vector<float>{-90, 90});
  CHECK(quant({200}, 1, 0, 1.5F, {{"signed", 0}}) == std::vector<float>{2});
}

TEST_CASE("Quant rounds as its mode says, in any case of letters", "[qonnx]") {
  const std::vector<float> x{-2.5F, -1.5F, -0.7F, 0.5F, 0.49999997F, 1.2F};
  const auto mode = [&](std::string_view name) { return quant(x, 1, 0, 8, {{"rounding_mode", name}}); };
  CHECK(mode("ROUND") == std::vector<float>{-2, -2, -1, 0, 0, 1});
  CHECK(mode("half_even") == mode("ROUND"));
  CHECK(mode("CEIL") == std::vector<float>{-2, -1, 0, 1, 1, 2});
  CHECK(mode("Floor") == std::vector<float>{-3, -2, -1, 0, 0, 1});
  CHECK(mode("UP") == std::vector<float>{-3, -2, -1, 1, 1, 2});
  CHECK(mode("DOWN") == std::vector<float>{-2, -1, 0, 0, 0, 1});
  CHECK(mode("ROUND_TO_ZERO") == mode("DOWN"));
  CHECK(mode("HALF_UP") == std::vector<float>{-3, -2, -1, 1, 1, 1});  // float32 rounds 0.49999997 + 0.5 to 1
  CHECK(mode("HALF_DOWN") == std::vector<float>{-2, -1, -1, 0, 0, 1});
}

TEST_CASE("Quant divides: a product with the reciprocal rounds elsewhere", "[qonnx]") {
  int differ = 0;
  for (int i = 1; i < 100; ++i) {
    const auto scale = static_cast<float>(i);
    differ += std::nearbyint(scale * 2.5F * (1 / scale)) != 2;
    CHECK(quant({scale * 2.5F}, scale, 0, 8) == std::vector<float>{2 * scale});
  }
  CHECK(differ > 0);
}

TEST_CASE("widths that float32 does not hold round to what it does", "[qonnx]") {
  CHECK(quant({1e10F}, 1, 0, 25, {{"signed", 0}}) == std::vector<float>{33554432});
  CHECK(quant({1e10F, -1e10F}, 1, 0, 32) == std::vector<float>{2147483648.0F, -2147483648.0F});
  CHECK(quant({1e10F}, 1, 0, 24, {{"signed", 0}}) == std::vector<float>{16777215});
}

TEST_CASE("Quant keeps NaN, and infinities saturate", "[qonnx]") {
  CHECK(quant({not_a_number, infinity, -infinity}, 0.5F, 0, 4) == std::vector<float>{nan_here, 3.5F, -4});
}

TEST_CASE("scale, zero point and bit width broadcast each by itself", "[qonnx]") {
  const Tensor x = Tensor::of<float>({2, 1, 2}, {9, 9, -9, -9});
  const Tensor y = run_qonnx("onnx.brevitas::Quant",
                             {x, Tensor::of<float>({2, 1, 1}, {1, 0.5F}), number(0), Tensor::of<float>({2}, {1, 3})});
  CHECK(y.dims() == x.dims());
  CHECK(numbers(y) == std::vector<float>{1, 3, -0.5F, -2});
  const Tensor z =
      run_qonnx("onnx.brevitas::Quant", {x, number(1), Tensor::of<float>({2, 1, 2}, {0, 4, 0, 4}), number(4)});
  CHECK(numbers(z) == std::vector<float>{7, 3, -8, -9});
}

TEST_CASE("a parameter that would expand the input is refused", "[qonnx]") {
  const Tensor x = vector_of({1});
  const auto failure = [&](const Tensor& scale, const Tensor& zero, const Tensor& bits) {
    return qonnx_failure("onnx.brevitas::Quant", {x, scale, zero, bits});
  };
  CHECK_THAT(failure(vector_of({1, 2}), number(0), number(8)), Contains("the node") && Contains("scale: "));
  CHECK_THAT(failure(number(1), Tensor::of<float>({1, 1}, {0}), number(8)), Contains("zeropt: "));
  CHECK_THAT(failure(number(1), number(0), vector_of({8, 8})), Contains("bitwidth: "));
}

TEST_CASE("scales and widths that mean nothing are refused, by node and field", "[qonnx]") {
  const auto failure = [&](float scale, float bits, const Attributes& attributes = {}) {
    return qonnx_failure("qonnx.custom_op.general::IntQuant", {vector_of({1}), number(scale), number(0), number(bits)},
                         attributes);
  };
  CHECK(failure(1, 8) == "");
  for (const float scale : {0.0F, -1.0F, not_a_number, infinity})
    CHECK_THAT(failure(scale, 8), Contains("the node") && Contains("scale: "));
  for (const float bits : {0.0F, 0.5F, -3.0F, not_a_number}) CHECK_THAT(failure(1, bits), Contains("bitwidth: "));
  CHECK_THAT(failure(1, 8, {{"rounding_mode", "NEAREST"}}), Contains("rounding_mode") && Contains("NEAREST"));
  CHECK_THAT(
      qonnx_failure("onnx.brevitas::Quant", {Tensor::of<std::int32_t>({1}, {1}), number(1), number(0), number(8)}),
      Contains("i32"));
}
