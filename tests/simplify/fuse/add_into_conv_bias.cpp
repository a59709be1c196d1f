#include <graft/simplify/fuse/add_into_conv_bias.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("an Add along the channels goes into the bias, in either order") {
  for (const char* const text :
       {"x: f32[1,3,5,5]; w = f32[4,3,3,3] random; b = f32[4] random; c = f32[4,1,1] random; y = Add(Conv(x, w, b), c)",
        "x: f32[1,3,5,5]; w = f32[4,3,3,3] random; c = f32[1,4,1,1] random; y = Add(c, Conv(x, w))",
        "x: f32[1,3,5]; w = f32[4,3,3] random; c = f32[] 2; y = Add(Conv(x, w), c)",
        "x: f32[2,3]; w = f32[4,3] random; b = f32[4] random; c = f32[4] random;"
        "y = Sub(Gemm(x, w, b) {transB=1}, c)"}) {
    CHECK(given(text).rule(add_into_conv_bias).equivalent({.inputs = 5, .atol = 1e-5}));
    CHECK(variants(add_into_conv_bias, text));
  }
}

TEST_CASE("the bias is the sum") {
  const auto becomes = [](std::string_view before, std::string_view after) {
    return given(before).rule(add_into_conv_bias).becomes(after);
  };
  CHECK(becomes(
      "x: f32[1,1,2,2]; w = f32[2,1,1,1] 1; b = f32[2] {1, 2}; c = f32[2,1,1] {10, 20}; y = Add(Conv(x, w, b), c)",
      "x: f32[1,1,2,2]; w = f32[2,1,1,1] 1; b = f32[2] {11, 22}; y = Conv(x, w, b)"));
  CHECK(becomes("x: f32[1,1,2]; w = f32[2,1,1] 1; y = Sub(Conv(x, w), f32[2,1] {10, 20})",
                "x: f32[1,1,2]; w = f32[2,1,1] 1; y = Conv(x, w, f32[2] {-10, -20})"));
  CHECK(becomes("x: f32[N,3]; w = f32[3,2] 1; y = Add(f32[2] {1, 2}, Gemm(x, w) {alpha=2})",
                "x: f32[N,3]; w = f32[3,2] 1; y = Gemm(x, w, f32[2] {1, 2}) {alpha=2}"));
}

TEST_CASE("an Add along another axis is refused") {
  CHECK(given("x: f32[1,3,4,4]; w = f32[4,3,1,1] random; c = f32[4] random; y = Add(Conv(x, w), c)")
            .rule(add_into_conv_bias).refuses("for each channel"));
  CHECK(given("x: f32[1,3,4,4]; w = f32[4,3,1,1] random; c = f32[2,1,4,1,1] random; y = Add(Conv(x, w), c)")
            .rule(add_into_conv_bias).refuses("rank"));
  CHECK(given("x: f32[1,3,4,4]; w = f32[4,3,1,1] random; y = Add(Conv(x, w), x)")
            .rule(add_into_conv_bias)
            .refuses("constant"));
  CHECK(given("x: f32[1,3,4,4]; w = f32[4,3,1,1] random; y = Sub(f32[] 1, Conv(x, w))")
            .rule(add_into_conv_bias)
            .refuses("constant"));
  CHECK(given("x: f32[2,3]; y = Add(Gemm(x, f32[3,4] 1, f32[4] 1) {beta=2}, f32[4] 1)")
            .rule(add_into_conv_bias)
            .refuses("beta"));
}

TEST_CASE("add_into_conv_bias refuses a sum that f16 does not hold") {
  CHECK(given("x: f16[1,1,2,2]; w = f16[1,1,1,1] 1; b = f16[1] 60000; y = Add(Conv(x, w, b), f16[] 60000)")
            .rule(add_into_conv_bias)
            .refuses("too large"));
}

TEST_CASE("a bias goes into a Conv with computed weights") {
  const std::string head = "x: f32[1,2,5,5]; w: f32[3,2,3,3]; ";
  CHECK(given(head + "y = Add(Conv(x, w), f32[3,1,1] {1, 2, 3})")
            .rule(add_into_computed_conv_bias)
            .becomes(head + "y = Conv(x, w, f32[3] {1, 2, 3})"));
  CHECK(given(head + "y = Sub(Conv(x, w), f32[] 2)")
            .rule(add_into_computed_conv_bias)
            .becomes(head + "y = Conv(x, w, f32[3] -2)"));
  CHECK(given(head + "y = Add(Conv(x, w), f32[3] {1, 2, 3})")  // along the width
            .rule(add_into_computed_conv_bias)
            .refuses("each channel"));
  CHECK(given("x: f32[1,2,5,5]; w: f32[M,2,3,3]; y = Add(Conv(x, w), f32[3,1,1] 1)")
            .rule(add_into_computed_conv_bias)
            .refuses("not known"));
  CHECK(given(head + "b: f32[3]; y = Add(Conv(x, w, b), f32[3,1,1] 1)").rule(add_into_computed_conv_bias).refuses());
  CHECK(variants(add_into_computed_conv_bias,
                 head + "v = Tanh(w); h = Conv(x, v); y = Add(h, f32[1,3,1,1] {1, 2, 3})"));
}
