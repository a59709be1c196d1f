#include <graft/lower/div.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("a product with a Reciprocal becomes a quotient") {
  for (const char* const product : {"Mul(Reciprocal(x), y)", "Mul(y, Reciprocal(x))"})
    CHECK(given("x: f32[2,N]; y: f32[N]; z = " + std::string(product))
              .pass(reciprocal_muls_to_divs())
              .becomes("x: f32[2,N]; y: f32[N]; z = Div(y, x)"));
  CHECK(given("x: f32[2]; y: f32[2]; r = Reciprocal(x); z = Mul(r, y); v = Neg(r)")
            .rule(reciprocal_mul_to_div)
            .becomes("x: f32[2]; y: f32[2]; z = Div(y, x); v = Neg(Reciprocal(x))"));
}

TEST_CASE("reciprocal_mul_to_div through all variants") {
  CHECK(variants(reciprocal_mul_to_div,
                 "x: f32[2,3]; y: f32[2,3]; r = Reciprocal(Add(Abs(x), f32[] 1)); m = Mul(r, y); z = Neg(m)",
                 {.atol = 1e-6}));
}

TEST_CASE("a product without a Reciprocal stays") {
  CHECK(given("x: f32[2]; y: f32[2]; z = Mul(Neg(x), y)").rule(reciprocal_mul_to_div).refuses(""));
}
