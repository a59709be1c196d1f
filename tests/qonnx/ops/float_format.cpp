#include <graft/qonnx/ops/float_format.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

qonnx::FloatFormat format_of(const std::string& attributes, const Tensor& exponent, const Tensor& mantissa,
                             const Tensor& bias, const Tensor& max_val) {
  const Model model = graph("x: f32[2]; s: f32[]; y = qonnx.custom_op.general::FloatQuant(x, s, s, s, s, s) {" +
                            attributes + "}");
  return qonnx::float_format(model.graph().nodes().front(), exponent, mantissa, bias, max_val);
}

}  // namespace

TEST_CASE("a float format has the steps and bounds that its fields say", "[qonnx]") {
  // Float8 of 4 and 3 bits: subnormals are multiples of 2^-9, and 480 would be the highest.
  const qonnx::FloatFormat small = format_of("", Tensor::scalar(4.0F), Tensor::scalar(3.0F), Tensor::scalar(7.0F),
                                             Tensor::scalar(448.0F));
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
