#include <graft/qonnx/ops/kernels/quant.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include "qonnx/ops/run_qonnx.hpp"

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

TEST_CASE("BipolarQuant is the sign times the scale; 0 of either sign is positive, NaN negative", "[qonnx]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = vector_of({-2, -0.0F, 0, 3, nan});
  CHECK(numbers(run_qonnx("finn.custom_op.general::BipolarQuant", {x, number(0.25F)})) ==
        std::vector<float>{-0.25F, 0.25F, 0.25F, 0.25F, -0.25F});
  const Tensor rows = Tensor::of<float>({2, 2}, {-1, 1, -1, 1});
  CHECK(numbers(run_qonnx("onnx.brevitas::BipolarQuant", {rows, Tensor::of<float>({2, 1}, {1, 4})})) ==
        std::vector<float>{-1, 1, -4, 4});
}

TEST_CASE("BipolarQuant refuses a scale that is none", "[qonnx]") {
  CHECK_THAT(qonnx_failure("onnx.brevitas::BipolarQuant", {vector_of({1}), number(0)}), Catch::Contains("scale: "));
  CHECK_THAT(qonnx_failure("onnx.brevitas::BipolarQuant", {vector_of({1}), vector_of({1, 1})}),
             Catch::Contains("scale: "));
}

using Catch::Contains;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
const float not_a_number = std::numeric_limits<float>::quiet_NaN();

struct Format {
  float exponent, mantissa, bias, max_val = infinity;
};

std::vector<Tensor> inputs_of(const std::vector<float>& x, const Format& format, float scale = 1) {
  return {vector_of(x),        number(scale),         number(format.exponent), number(format.mantissa),
          number(format.bias), number(format.max_val)};
}

std::vector<float> float_quant(const std::vector<float>& x, const Format& format, const Attributes& attributes = {},
                               float scale = 1) {
  return numbers(run_qonnx("qonnx.custom_op.general::FloatQuant", inputs_of(x, format, scale), attributes));
}

const Format e4m3{4, 3, 7};  // 16 values between powers of two, at most 480

}  // namespace

TEST_CASE("FloatQuant rounds to the steps of its format, ties to even", "[qonnx]") {
  CHECK(float_quant({1, 1.0625F, 1.1875F, 1.9375F, 17, 19, -300, 0}, e4m3) ==
        std::vector<float>{1, 1, 1.25F, 2, 16, 20, -288, 0});
  CHECK(float_quant({1.0625F, -1.0625F}, e4m3, {{"rounding_mode", "CEIL"}}) == std::vector<float>{1.125F, -1});
  CHECK(float_quant({3}, {8, 0, 127}) == std::vector<float>{4});  // e8m0: 1.5 steps of 2, to the even one
}

TEST_CASE("below the least exponent the steps stay", "[qonnx]") {
  const float least = 0.001953125F;  // 2^(1 - 7 - 3)
  CHECK(float_quant({least, least / 2, 0.75F * least, 2.25F * least, 1e-38F}, e4m3) ==
        std::vector<float>{least, 0, least, 2 * least, 0});
  CHECK(float_quant({1e-45F, 3e-39F}, {8, 23, 127}) == std::vector<float>{1e-45F, 3e-39F});
}

TEST_CASE("FloatQuant saturates at the format's highest value or max_val, whichever is less", "[qonnx]") {
  CHECK(float_quant({1e9F, -1e9F}, e4m3) == std::vector<float>{480, -480});
  CHECK(float_quant({1e9F, 450}, {4, 3, 7, 448}) == std::vector<float>{448, 448});
  CHECK(float_quant({1e9F}, {4, 3, 7, 1000}) == std::vector<float>{480});
  CHECK(float_quant({3.4e38F}, {8, 2, 127}) == std::vector<float>{infinity});  // 2^128, and that is its highest
}

TEST_CASE("without saturation what is beyond is infinite or no number", "[qonnx]") {
  CHECK(float_quant({1e9F, -1e9F, 480}, e4m3, {{"saturation", 0}, {"has_inf", 1}, {"has_nan", 1}}) ==
        std::vector<float>{infinity, -infinity, 480});
  CHECK(float_quant({1e9F, 480}, e4m3, {{"saturation", 0}, {"has_nan", 1}}) == std::vector<float>{nan_here, 480});
  CHECK_THAT(qonnx_failure("onnx.brevitas::FloatQuant", inputs_of({1}, e4m3), {{"saturation", 0}}),
             Contains("saturation: "));
}

TEST_CASE("NaN and infinities are no numbers to FloatQuant", "[qonnx]") {
  CHECK(float_quant({not_a_number, infinity, -infinity}, e4m3) == std::vector<float>{nan_here, nan_here, nan_here});
}

TEST_CASE("the exponent of a number right below a power of two is the lower one", "[qonnx]") {
  const float below = std::nextafter(64.0F, 0.0F);  // its log2 is 6 in float32
  CHECK(float_quant({below}, e4m3, {{"rounding_mode", "FLOOR"}}) == std::vector<float>{60});
}

TEST_CASE("the scale is divided by and multiplied with, and parameters broadcast", "[qonnx]") {
  CHECK(float_quant({3, 3.25F, 103}, e4m3, {}, 0.25F) == std::vector<float>{3, 3.25F, 104});
  const Tensor y = run_qonnx("onnx.brevitas::FloatQuant",
                             {Tensor::of<float>({2, 2}, {1.25F, 1.25F, 1e9F, 1e9F}), number(1),
                              Tensor::of<float>({2, 1}, {4, 3}), vector_of({1, 2}), number(1), number(infinity)});
  CHECK(numbers(y) == std::vector<float>{1, 1.25F, 96, 112});
}

TEST_CASE("FloatQuant refuses widths and scales that mean nothing", "[qonnx]") {
  const auto failure = [](const Format& format, float scale = 1) {
    return qonnx_failure("onnx.brevitas::FloatQuant", inputs_of({1}, format, scale));
  };
  CHECK(failure(e4m3) == "");
  CHECK_THAT(failure(e4m3, -1), Contains("scale: "));
  CHECK_THAT(failure({-1, 3, 7}), Contains("exponent_bitwidth: "));
  CHECK_THAT(failure({4, 2.5F, 7}), Contains("mantissa_bitwidth: "));
}

using Catch::Contains;

namespace {

std::vector<float> trunc_1(const std::vector<float>& x, float scale, float zero, float in, float out,
                           const Attributes& attributes = {}) {
  return numbers(run_qonnx("qonnx.custom_op.general::Trunc",
                           {vector_of(x), number(scale), number(zero), number(in), number(out)}, attributes));
}

std::vector<float> trunc_2(const std::vector<float>& x, float scale, float zero, float out_scale, float out,
                           const Attributes& attributes = {}) {
  return numbers(run_qonnx("qonnx.custom_op.general::Trunc",
                           {vector_of(x), number(scale), number(zero), number(10), number(out_scale), number(out)},
                           attributes, 2));
}

}  // namespace

TEST_CASE("Trunc 1 shifts bits out and keeps scale and zero point", "[qonnx]") {
  CHECK(trunc_1({7, 8, -1, 100}, 1, 0, 6, 4) == std::vector<float>{1, 2, -1, 25});
  CHECK(trunc_1({7, 8, -1}, 0.5F, 0, 6, 4) == std::vector<float>{1.5F, 2, -0.5F});
  CHECK(trunc_1({7, 9}, 1, 1, 6, 4) == std::vector<float>{1, 1});
  CHECK(trunc_1({6, 7, -6}, 1, 0, 6, 4, {{"rounding_mode", "ROUND"}}) == std::vector<float>{2, 2, -2});
  CHECK(trunc_1({6, -6}, 1, 0, 6, 4, {{"rounding_mode", "CEIL"}}) == std::vector<float>{2, -1});
}

TEST_CASE("Trunc 1 rounds to integers first, and does not clamp", "[qonnx]") {
  CHECK(trunc_1({7.6F, 2.5F, 3.5F}, 1, 0, 6, 4) == std::vector<float>{2, 0, 1});
  CHECK(trunc_1({4096}, 1, 0, 6, 4) == std::vector<float>{1024});
}

TEST_CASE("Trunc 2 goes to another scale, and clamps", "[qonnx]") {
  CHECK(trunc_2({7, 8, -1, 1000, -1000}, 1, 0, 4, 4) == std::vector<float>{4, 8, -4, 28, -32});
  CHECK(trunc_2({1000, -1000}, 1, 0, 4, 4, {{"narrow", 1}}) == std::vector<float>{28, -28});
  CHECK(trunc_2({1000, -1000}, 1, 0, 4, 4, {{"signed", 0}}) == std::vector<float>{60, 0});
  CHECK(trunc_2({8, 9, 10, 14}, 1, 2, 4, 8, {{"rounding_mode", "ROUND"}}) == std::vector<float>{6, 10, 10, 14});
}

TEST_CASE("Trunc 2 divides by the power of two that is nearest to the ratio of the scales", "[qonnx]") {
  CHECK(trunc_2({16}, 1, 0, 5, 8) == std::vector<float>{20});
  CHECK(trunc_2({16}, 1, 0, 6, 8) == std::vector<float>{12});
  CHECK(trunc_2({1}, 1, 0, 0.25F, 8) == std::vector<float>{1});
}

TEST_CASE("the import says which Trunc a node is; without one its inputs do", "[qonnx]") {
  const std::vector<Tensor> first{vector_of({-9}), number(1), number(0), number(6), number(4)};
  const std::vector<Tensor> second{vector_of({-9}), number(1), number(0), number(6), number(4), number(4)};
  for (const std::string domain : {"qonnx.custom_op.general", "onnx.brevitas", "finn.custom_op.general"}) {
    const std::string op = domain + "::Trunc";
    CHECK(numbers(run_qonnx(op, first, {}, 0)) == std::vector<float>{-3});
    CHECK(numbers(run_qonnx(op, second, {}, 0)) == std::vector<float>{-12});
    CHECK(numbers(run_qonnx(op, first, {}, 1)) == std::vector<float>{-3});
    CHECK(numbers(run_qonnx(op, second, {}, 2)) == std::vector<float>{-12});
    CHECK_THAT(qonnx_failure(op, second, {}, 1), Contains("6 inputs"));
    CHECK_THAT(qonnx_failure(op, first, {}, 2), Contains("5 inputs"));
  }
}

TEST_CASE("Trunc refuses what it cannot compute", "[qonnx]") {
  const auto failure = [](float scale, float in, float out, const Attributes& attributes = {}) {
    return qonnx_failure("onnx.brevitas::Trunc", {vector_of({1}), number(scale), number(0), number(in), number(out)},
                         attributes);
  };
  CHECK_THAT(failure(0, 6, 4), Contains("scale: "));
  CHECK_THAT(failure(1, 0, 4), Contains("in_bitwidth: "));
  CHECK_THAT(failure(1, 6, 0), Contains("out_bitwidth: "));
  CHECK_THAT(failure(1, 6, 4, {{"rounding_mode", "?"}}), Contains("rounding_mode: "));
}
