#include <graft/simplify/conv_epilogue.hpp>

#include <string>

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
            .rule(add_into_conv_bias)
            .refuses("for each channel"));
  CHECK(given("x: f32[1,3,4,4]; w = f32[4,3,1,1] random; c = f32[2,1,4,1,1] random; y = Add(Conv(x, w), c)")
            .rule(add_into_conv_bias)
            .refuses("rank"));
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
  CHECK(
      variants(add_into_computed_conv_bias, head + "v = Tanh(w); h = Conv(x, v); y = Add(h, f32[1,3,1,1] {1, 2, 3})"));
}

TEST_CASE("mul_into_conv scales weight and bias, in either order") {
  for (const std::string_view result :
       {"Mul(Conv(x, w, b), f32[2,1,1] {2, 4})", "Mul(f32[1,2,1,1] {2, 4}, Conv(x, w, b))",
        "Div(Conv(x, w, b), f32[2,1,1] {0.5, 0.25})"}) {
    CHECK(given("x: f32[1,1,2,2]; w = f32[2,1,1,2] {1, 2, 3, 4}; b = f32[2] {1, 2}; y = " + std::string(result))
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

namespace {

const std::string head = "x: f32[1,1,2,2]; w = f32[2,1,1,1] {1, 2}; b = f32[2] {1, 2}; ";

}  // namespace

TEST_CASE("a positive factor goes past Relu into the Conv") {
  CHECK(given(head + "y = Mul(Relu(Conv(x, w, b)), f32[2,1,1] {2, 4})")
            .rule(mul_past_relu_into_conv)
            .becomes("x: f32[1,1,2,2]; y = Relu(Conv(x, f32[2,1,1,1] {2, 8}, f32[2] {2, 8}))"));
}

TEST_CASE("a positive factor goes past Clip into the Conv, and scales the bounds") {
  CHECK(given(head + "y = Div(Clip(Conv(x, w, b), f32[] 0, f32[] 6), f32[] 4)")
            .rule(mul_past_clip_into_conv)
            .becomes("x: f32[1,1,2,2]; y = Clip(Conv(x, f32[2,1,1,1] {0.25, 0.5}, f32[2] {0.25, 0.5}),"
                     "f32[] 0, f32[] 1.5)"));
  CHECK(given("opset 10; x: f32[1,1,2,2]; w = f32[2,1,1,1] {1, 2}; y = Mul(f32[] 2, Clip(Conv(x, w)) {max=3})")
            .rule(mul_past_clip_into_conv)
            .becomes("opset 10; x: f32[1,1,2,2]; y = Clip(Conv(x, f32[2,1,1,1] {2, 4})) {max=6}"));
}

TEST_CASE("mul_past_activation_into_conv through all variants") {
  const std::string in = "x: f32[1,3,5,5]; w = f32[4,3,3,3] random; b = f32[4] random; a = Conv(x, w, b); ";
  const VariantReport relu = variants(mul_past_relu_into_conv,
                                      in + "c = f32[4,1,1] random(0.5, 2); h = Relu(a); y = Mul(h, c)", {.atol = 1e-5});
  CHECK(relu);
  const VariantReport clip =
      variants(mul_past_clip_into_conv,
               in + "c = f32[] 4; l = f32[] -0.25; u = f32[] 0.5; h = Clip(a, l, u); y = Div(h, c)", {.atol = 1e-5});
  CHECK(clip);
  CHECK(clip.find("%l as an input that callers may override")->outcome == Variant::Outcome::refused);
  for (const VariantReport* const report : {&relu, &clip}) {
    CHECK(report->find("another consumer of %a")->outcome == Variant::Outcome::refused);
    CHECK(report->find("another consumer of %h")->outcome == Variant::Outcome::refused);
    CHECK(report->find("%c as an input that callers may override")->outcome == Variant::Outcome::refused);
  }
}

TEST_CASE("mul_past_activation_into_conv refuses") {
  CHECK(given(head + "y = Mul(Relu(Conv(x, w)), f32[] -1)").rule(mul_past_relu_into_conv).refuses("positive"));
  CHECK(given(head + "y = Div(Relu(Conv(x, w)), f32[] 0)").rule(mul_past_relu_into_conv).refuses("positive"));
  CHECK(given(head + "y = Mul(Clip(Conv(x, w), f32[] 0), f32[2,1,1] {1, 2})")
            .rule(mul_past_clip_into_conv)
            .refuses("one value"));
  CHECK(given(head + "l: f32[]; y = Mul(Clip(Conv(x, w), l), f32[] 2)").rule(mul_past_clip_into_conv).refuses(""));
  CHECK(given(head + "y = Mul(Sigmoid(Conv(x, w)), f32[] 2)").rule(mul_past_relu_into_conv).refuses(""));
}

TEST_CASE("bounds are rounded once") {
  CHECK(given(head + "y = Div(Clip(Conv(x, w, b), f32[] 0, f32[] 6), f32[] 30)")
            .rule(mul_past_clip_into_conv)
            .becomes("x: f32[1,1,2,2]; y = Clip(Conv(x, f32[2,1,1,1] {0.033333335, 0.06666667},"
                     "f32[2] {0.033333335, 0.06666667}), f32[] 0, f32[] 0.2)"));
}
