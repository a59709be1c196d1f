#include <graft/qonnx/cleanup/div_to_mul.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

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
