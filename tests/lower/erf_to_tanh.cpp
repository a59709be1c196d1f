#include <graft/lower/erf_to_tanh.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("Erf becomes Tanh") {
  CHECK(
      given("x: f32[2,N]; y = Erf(x)").pass(erfs_to_tanhs()).becomes("x: f32[2,N]; y = Tanh(Mul(x, f32[] 1.2027833))"));
  CHECK(given("opset 13; x: bf16[2]; h = Erf(x); y = Neg(h); return y, h")
            .rule(erf_to_tanh)
            .becomes("opset 13; x: bf16[2]; h = Tanh(Mul(x, bf16[] 1.203125)); y = Neg(h); return y, h"));
}

TEST_CASE("erf_to_tanh through all variants") {
  const VariantReport report = variants(erf_to_tanh, "x: f32[2,N]; h = Erf(x); y = Neg(h)", {.atol = 0.02},
                                        {.leave_out = {{"dtypes", "the bound is above that of f16"}}});
  CHECK(report);
  CHECK(report.find("%h as a graph output")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("the bound of erf_to_tanh is not far off") {
  CHECK_FALSE(given("x: f32[256]; y = Erf(x)").rule(erf_to_tanh).equivalent({.atol = 0.015, .rtol = 0}));
}

TEST_CASE("erf_to_tanh refuses integers") { CHECK(given("x: i32[2]; y = Erf(x)").rule(erf_to_tanh).refuses("")); }
