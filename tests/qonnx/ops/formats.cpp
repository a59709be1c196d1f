#include <graft/qonnx/ops/formats.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft::qonnx;
using namespace graft;

TEST_CASE("a narrow range lacks the lowest signed or the highest unsigned integer", "[qonnx]") {
  CHECK(integer_range(8, true, false) == IntegerRange{-128, 127});
  CHECK(integer_range(8, true, true) == IntegerRange{-127, 127});
  CHECK(integer_range(8, false, false) == IntegerRange{0, 255});
  CHECK(integer_range(8, false, true) == IntegerRange{0, 254});
  CHECK(integer_range(1, false, false) == IntegerRange{0, 1});
}

TEST_CASE("a fractional bit width has bounds between integers", "[qonnx]") {
  const IntegerRange range = integer_range(6.5F, false, false);
  CHECK(range.min == 0);
  CHECK(range.max == Approx(89.5097));
}

namespace {

qonnx::FloatFormat format_of(const std::string& attributes, const Tensor& exponent, const Tensor& mantissa,
                             const Tensor& bias, const Tensor& max_val) {
  const Model model =
      graph("x: f32[2]; s: f32[]; y = qonnx.custom_op.general::FloatQuant(x, s, s, s, s, s) {" + attributes + "}");
  return qonnx::float_format(model.graph().nodes().front(), exponent, mantissa, bias, max_val);
}

}  // namespace

TEST_CASE("a float format has the steps and bounds that its fields say", "[qonnx]") {
  // Float8 of 4 and 3 bits: subnormals are multiples of 2^-9, and 480 would be the highest.
  const qonnx::FloatFormat small =
      format_of("", Tensor::scalar(4.0F), Tensor::scalar(3.0F), Tensor::scalar(7.0F), Tensor::scalar(448.0F));
  CHECK(small.grain.item<float>() == 0.125F);
  CHECK(small.least_step.item<float>() == std::exp2(-9.0F));
  CHECK(small.highest.item<float>() == 448);
  CHECK(small.beyond.item<float>() == 448);
  const qonnx::FloatFormat several =
      format_of("saturation=0, has_inf=1", Tensor::scalar(4.0F), Tensor::of<float>({2}, {3, 1}), Tensor::scalar(8.0F),
                Tensor::scalar(1000.0F));
  CHECK(several.highest.to<float>() == std::vector<float>{240, 192});
  CHECK(several.beyond.item<float>() == INFINITY);
}

TEST_CASE("a float format without infinities has to saturate", "[qonnx]") {
  const Tensor one = Tensor::scalar(1.0F);
  CHECK_THROWS_WITH(format_of("saturation=0", one, one, one, one), Catch::Contains("neither infinities nor NaN"));
  CHECK(std::isnan(format_of("saturation=0, has_nan=1", one, one, one, one).beyond.item<float>()));
  CHECK_THROWS_WITH(format_of("", one, Tensor::scalar(1.5F), one, one), Catch::Contains("whole number"));
}

TEST_CASE("version 1 of Trunc divides by the power of the bits that go, and keeps the rest", "[qonnx]") {
  const qonnx::Truncation by = qonnx::truncation_v1(Tensor::scalar(0.5F), Tensor::scalar(3.0F),
                                                    Tensor::of<float>({2}, {8, 10}), Tensor::scalar(7.0F));
  CHECK(by.divisor.to<float>() == std::vector<float>{2, 8});
  CHECK(by.lowest.item<float>() == -INFINITY);
  CHECK(by.highest.item<float>() == INFINITY);
  CHECK(by.zero_point.item<float>() == 3);
  CHECK(by.scale.item<float>() == 0.5F);
}

TEST_CASE("version 2 of Trunc divides by the power of two next to the quotient of the scales", "[qonnx]") {
  const Model model = graph(
      "opset qonnx.custom_op.general 2; x: f32[2]; s: f32[]; "
      "y = qonnx.custom_op.general::Trunc(x, s, s, s, s, s) {narrow=1}");
  const qonnx::Truncation by =
      qonnx::truncation_v2(model.graph().nodes().front(), Tensor::scalar(0.5F), Tensor::scalar(6.0F),
                           Tensor::scalar(2.1F), Tensor::of<float>({2}, {3, 4}));
  CHECK(by.divisor.item<float>() == 4);
  CHECK(by.lowest.to<float>() == std::vector<float>{-3, -7});
  CHECK(by.highest.to<float>() == std::vector<float>{3, 7});
  CHECK(by.zero_point.item<float>() == 1.5F);
  CHECK(by.scale.item<float>() == 2.1F);
}
