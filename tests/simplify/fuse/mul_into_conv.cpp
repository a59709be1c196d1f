#include <graft/simplify/fuse/mul_into_conv.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("mul_into_conv scales weight and bias, in either order") {
  for (const std::string_view result :
       {"Mul(Conv(x, w, b), f32[2,1,1] {2, 4})", "Mul(f32[1,2,1,1] {2, 4}, Conv(x, w, b))",
        "Div(Conv(x, w, b), f32[2,1,1] {0.5, 0.25})"}) {
    CHECK(given("x: f32[1,1,2,2]; w = f32[2,1,1,2] {1, 2, 3, 4}; b = f32[2] {1, 2}; y = " +
                std::string(result))
              .rule(mul_into_conv)
              .becomes("x: f32[1,1,2,2]; y = Conv(x, f32[2,1,1,2] {2, 4, 12, 16}, f32[2] {2, 8})"));
  }
  CHECK(given("x: f32[1,1,2]; w = f32[2,1,1] {1, 2}; y = Mul(Conv(x, w) {strides=[2]}, f32[] 3)")
            .rule(mul_into_conv)
            .becomes("x: f32[1,1,2]; y = Conv(x, f32[2,1,1] {3, 6}) {strides=[2]}"));
}

TEST_CASE("mul_into_conv scales a Gemm, transposed or not") {
  CHECK(given("x: f32[N,3]; w = f32[3,2] {1, 2, 3, 4, 5, 6}; b = f32[2] {1, 2};"
              "y = Mul(Gemm(x, w, b) {alpha=2}, f32[2] {2, 10})")
            .rule(mul_into_conv)
            .becomes("x: f32[N,3]; y = Gemm(x, f32[3,2] {2, 20, 6, 40, 10, 60}, f32[2] {2, 20}) {alpha=2}"));
  CHECK(given("x: f32[N,3]; w = f32[2,3] {1, 2, 3, 4, 5, 6}; y = Div(Gemm(x, w) {transB=1}, f32[1,2] {1, 0.5})")
            .rule(mul_into_conv)
            .becomes("x: f32[N,3]; y = Gemm(x, f32[2,3] {1, 2, 3, 8, 10, 12}) {transB=1}"));
}

TEST_CASE("mul_into_conv through all variants") {
  for (const std::string_view text :
       {"x: f32[1,3,5,5]; w = f32[4,3,3,3] random; b = f32[4] random; c = f32[4,1,1] random;"
        "h = Conv(x, w, b); y = Mul(h, c)",
        "x: f32[1,4,5]; w = f32[4,2,3] random; c = f32[4,1] random(1, 2); h = Conv(x, w) {group=2}; y = Div(h, c)",
        "x: f32[2,3]; w = f32[3,4] random; b = f32[4] random; c = f32[4] random; h = Gemm(x, w, b); y = Mul(c, h)"}) {
    const VariantReport report = variants(mul_into_conv, text, {.atol = 1e-5});
    CHECK(report);
    CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
    CHECK(report.find("%c as an input that callers may override")->outcome == Variant::Outcome::refused);
    CHECK(report.find("%w as an input that callers may override")->outcome == Variant::Outcome::refused);
  }
}

TEST_CASE("mul_into_conv refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given("x: f32[1,3,4,4]; w = f32[4,3,1,1] 2; g: f32[3,3]; " + std::string(text))
        .rule(mul_into_conv)
        .refuses(reason);
  };
  CHECK(refuses("y = Mul(Conv(x, w), f32[4] random)", "one value for each channel"));
  CHECK(refuses("y = Mul(Conv(x, w), f32[2,1,4,1,1] random)", "raises the rank"));
  CHECK(refuses("y = Div(Conv(x, w), f32[4,1,1] {1, 2, 0, 1})", "not finite"));
  CHECK(refuses("y = Mul(Conv(x, w), f32[] 3e38)", "too large"));
  CHECK(refuses("y = Div(f32[] 1, Conv(x, w))", "constant"));
  CHECK(refuses("y = Mul(Gemm(g, f32[3,2] 1, f32[2] 1) {beta=2}, f32[2] 2)", "beta"));
  CHECK(refuses("y = Mul(Gemm(g, f32[3,2] 1, f32[3,2] 1), f32[2] 2)", "its bias"));
}

TEST_CASE("mul_into_conv refuses weights that would lose their digits in f16") {
  CHECK(given("x: f16[1,1,2,2]; w = f16[1,1,1,1] 0.001; y = Mul(Conv(x, w), f16[] 0.001)")
            .rule(mul_into_conv)
            .refuses("too small"));
}

TEST_CASE("a Conv in front of a Loop does not go into its body, where it would be computed in every iteration") {
  const std::string outside = "x: f32[1,1,2,2]; w = f32[1,1,1,1] 2; n: i64[]; c: bool[]; h = Conv(x, w); ";
  CHECK(given(outside + "y = Loop(n, c) {body={ i: i64[]; k: bool[]; j = Identity(k);"
                        "t = Mul(h, f32[] 2); return j, t }}")
            .rule(mul_into_conv)
            .refuses(""));
  CHECK(given("x: f32[1,1,2,2]; w = f32[1,1,1,1] 2; c: bool[]; h = Conv(x, w);"
              "y = If(c) {then_branch={ t = Mul(h, f32[] 2) }, else_branch={ u = Neg(x) }}")
            .rule(mul_into_conv)
            .becomes("x: f32[1,1,2,2]; c: bool[];"
                     "y = If(c) {then_branch={ t = Conv(x, f32[1,1,1,1] 4) }, else_branch={ u = Neg(x) }}"));
}
