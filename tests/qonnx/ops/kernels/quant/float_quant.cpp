#include "qonnx/ops/run_qonnx.hpp"

#include <limits>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;
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

TEST_CASE("NaN and infinities are not numbers to FloatQuant", "[qonnx]") {
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
