#include <graft/qonnx/cleanup/arithmetic.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>
#include "qonnx/as_qonnx.hpp"

using namespace graft;

namespace {

const std::string statistics = "s = f32[2] {1, 2}; b = f32[2] {0.5, -1}; m = f32[2] {1, 3}; v = f32[2] {3, 0.75}; ";

}  // namespace

TEST_CASE("BatchNormalization becomes a product and a sum along the channels", "[qonnx]") {
  const Trial trial = given("x: f32[1,2,3,3]; " + statistics + "y = BatchNormalization(x, s, b, m, v) {epsilon=0.25}")
                          .pass(qonnx::batch_norms_to_affine());
  CHECK(trial.equivalent());
  const Trial plain = given(
                          "x: f32[N,2]; s = f32[2] {1, 2}; b = f32[2] {0.5, -1}; m = f32[2] {1, 3};"
                          "v = f32[2] {3, 0}; y = BatchNormalization(x, s, b, m, v) {epsilon=1.0}")
                          .pass(qonnx::batch_norms_to_affine());
  CHECK(plain.becomes("x: f32[N,2]; y = Add(Mul(x, f32[1,2] {0.5, 2}), f32[1,2] {0, -7})"));
}

TEST_CASE("training, unknown ranks and variances that are not numbers stay", "[qonnx]") {
  CHECK(given("x: f32; " + statistics + "y = BatchNormalization(x, s, b, m, v)")
            .rule(qonnx::batch_norm_to_affine)
            .refuses("rank"));
  CHECK(given("x: f32[1,2]; " + statistics + "y, _, _ = BatchNormalization(x, s, b, m, v) {training_mode=1}")
            .rule(qonnx::batch_norm_to_affine)
            .refuses());
  CHECK(given("x: f32[1,2]; " + statistics + "y = BatchNormalization(x, s, b, m, f32[2] {-1, 1})")
            .rule(qonnx::batch_norm_to_affine)
            .refuses("not finite"));
}

TEST_CASE("batch_norm_to_affine through all variants", "[qonnx]") {
  CHECK(variants(qonnx::batch_norm_to_affine,
                 "x: f32[1,2,2]; " + statistics + "h = BatchNormalization(x, s, b, m, v); y = Neg(h)"));
}

TEST_CASE("a power of two is divided by exactly", "[qonnx]") {
  const Trial trial = given("x: f32[3]; y = Div(x, f32[3] {0.25, -8, 1})").pass(qonnx::divs_to_muls());
  CHECK(trial.becomes("x: f32[3]; y = Mul(x, f32[3] {4, -0.125, 1})"));
  CHECK(trial.equivalent({.atol = 0, .rtol = 0, .non_finite = true}));
}

TEST_CASE("other divisors only where values may change", "[qonnx]") {
  const std::string text = "x: f32[2]; y = Div(x, f32[2] {3, 2})";
  CHECK(given(text).pass(qonnx::divs_to_muls()).refuses("power of two"));
  CHECK(given(text).pass(qonnx::divs_to_muls(false)).becomes("x: f32[2]; y = Mul(x, f32[2] {0.33333334, 0.5})"));
  CHECK(given(text).pass(qonnx::divs_to_muls(false)).equivalent());
}

TEST_CASE("divisors without a reciprocal that is a normal number stay", "[qonnx]") {
  CHECK(given("x: f32[]; y = Div(x, f32[] 1.7014118e+38)").rule(qonnx::div_to_mul).refuses("normal"));  // 2^127
  CHECK(given("x: f32[]; y = Div(x, f32[] 0)").rule(qonnx::div_to_mul).refuses("power of two"));
  CHECK(given("x: f32[]; y = Div(x, f32[] 0)").rule(qonnx::div_to_mul_rounded).refuses("finite"));
  CHECK(given("x: f32[]; y = Div(x, f32[] 1e-40)").rule(qonnx::div_to_mul_rounded).refuses("finite"));
  CHECK(given("x: i32[]; y = Div(x, i32[] 2)").rule(qonnx::div_to_mul_rounded).refuses());
}

TEST_CASE("div_to_mul through all variants", "[qonnx]") {
  CHECK(variants(qonnx::div_to_mul, "x: f32[2]; c = f32[2] {2, 4}; h = Div(x, c); y = Neg(h)"));
  CHECK(variants(qonnx::div_to_mul_rounded, "x: f32[2]; c = f32[2] {3, 5}; h = Div(x, c); y = Neg(h)"));
}

TEST_CASE("taking a constant away is adding its negative", "[qonnx]") {
  const Trial trial =
      given("x: f32[2]; c = f32[2] {1, -2.5}; y = Sub(x, c); z = Mul(x, c)").pass(qonnx::subs_to_adds());
  CHECK(trial.becomes("x: f32[2]; y = Add(x, f32[2] {-1, 2.5}); z = Mul(x, f32[2] {1, -2.5})"));
  CHECK(trial.equivalent({.atol = 0, .rtol = 0}));
}

TEST_CASE("the least integer is its own negative", "[qonnx]") {
  const Trial trial = given("x: i32[3]; y = Sub(x, i32[3] {-2147483648, 5, -7})").pass(qonnx::subs_to_adds());
  CHECK(trial.becomes("x: i32[3]; y = Add(x, i32[3] {-2147483648, -5, 7})"));
}

TEST_CASE("unsigned constants and computed values stay", "[qonnx]") {
  for (const std::string text : {"x: u8[2]; y = Sub(x, u8[2] {1, 2})", "x: f32[2]; z: f32[2]; y = Sub(x, z)",
                                 "x: f32[2]; y = Sub(f32[2] {1, 2}, x)"})
    CHECK(given(text).rule(qonnx::sub_to_add).refuses());
}

TEST_CASE("sub_to_add through all variants", "[qonnx]") {
  CHECK(variants(qonnx::sub_to_add, "x: f32[2]; c = f32[2] {1, 2}; h = Sub(x, c); y = Neg(h)"));
}

TEST_CASE("a constant bias becomes an Add", "[qonnx]") {
  const std::string head = "x: f32[1,2,5,5]; w = f32[3,2,3,3] random; ";
  const Trial trial = given(head + "y = Conv(x, w, f32[3] {1, 2, 3}) {strides=[2,2]}").pass(qonnx::extract_bias());
  CHECK(trial.becomes(head + "y = Add(Conv(x, w) {strides=[2,2]}, f32[1,3,1,1] {1, 2, 3})"));
  CHECK(trial.equivalent());
  CHECK(given("x: f32[1,2,5]; w = f32[2,3,3] random; y = ConvTranspose(x, w, f32[3] {1, 2, 3})")
            .pass(qonnx::extract_bias())
            .becomes("x: f32[1,2,5]; w = f32[2,3,3] random; y = Add(ConvTranspose(x, w), f32[1,3,1] {1, 2, 3})"));
}

TEST_CASE("a quantized bias is quantized again in its new shape, others keep it", "[qonnx]") {
  const std::string head = "x: f32[1,2,5,5]; w = f32[3,2,3,3] random; zero = f32[] 0; bits = f32[] 4; b = " +
                           quant("f32[3] {0.1, 0.2, 0.3}", "f32[3] {0.1, 0.05, 0.2}", "zero", "bits") + "; ";
  const Trial trial = given(head + "y = Conv(x, w, b); z = Neg(b)").pass(qonnx::extract_bias());
  CHECK(trial.equivalent(as_qonnx()));
  CHECK(trial.becomes(head +
                      "c = " + quant("f32[1,3,1,1] {0.1, 0.2, 0.3}", "f32[1,3,1,1] {0.1, 0.05, 0.2}", "zero", "bits") +
                      "; y = Add(Conv(x, w), c); z = Neg(b); return y, z"));
}

TEST_CASE("a computed bias is reshaped", "[qonnx]") {
  const Trial trial =
      given("x: f32[1,2,5,5]; b: f32[3]; w = f32[3,2,3,3] random; y = Conv(x, w, b)").pass(qonnx::extract_bias());
  CHECK(
      trial.becomes("x: f32[1,2,5,5]; b: f32[3]; w = f32[3,2,3,3] random;"
                    "y = Add(Conv(x, w), Reshape(b, i64[4] {1, -1, 1, 1}))"));
  CHECK(trial.equivalent());
  CHECK(trial.idempotent());
}

TEST_CASE("a Conv whose rank is not known keeps its bias", "[qonnx]") {
  CHECK(given("x: f32; w: f32; b: f32[3]; y = Conv(x, w, b)").pass(qonnx::extract_bias()).refuses("rank"));
}

TEST_CASE("a Conv in a body, and a bias that callers may override", "[qonnx]") {
  const Trial trial = given(
                          "c: bool[]; x: f32[1,2,5,5]; b: f32[3] = {1, 2, 3}; w = f32[3,2,3,3] random;"
                          "y = If(c) {then_branch={ t = Conv(x, w, b) }, else_branch={ u = Conv(x, w) }}")
                          .pass(qonnx::extract_bias());
  CHECK(trial.equivalent());
  CHECK(trial.idempotent());
}
