#include <graft/simplify/fuse/mul_before_conv.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("mul_before_conv scales the weights of each input channel, through the groups") {
  CHECK(given("x: f32[1,2,N,4]; w = f32[1,2,1,2] {1, 2, 3, 4}; b = f32[1] 1;"
              "y = Conv(Mul(x, f32[2,1,1] {2, 10}), w, b) {pads=[1,1,1,1]}")
            .rule(mul_before_conv)
            .becomes("x: f32[1,2,N,4]; y = Conv(x, f32[1,2,1,2] {2, 4, 30, 40}, f32[1] 1) {pads=[1,1,1,1]}"));
  CHECK(given("x: f32[1,4,3]; w = f32[2,2,1] {1, 2, 3, 4};"
              "y = Conv(Div(x, f32[4,1] {1, 0.5, 0.25, 0.125}), w) {group=2}")
            .rule(mul_before_conv)
            .becomes("x: f32[1,4,3]; y = Conv(x, f32[2,2,1] {1, 4, 12, 32}) {group=2}"));
  CHECK(given("x: f32[N,2]; y = Gemm(Mul(f32[2] {2, 10}, x), f32[2,3] {1, 2, 3, 4, 5, 6})")
            .rule(mul_before_conv)
            .becomes("x: f32[N,2]; y = Gemm(x, f32[2,3] {2, 4, 6, 40, 50, 60})"));
  CHECK(given("x: f32[N,2]; y = Gemm(Mul(f32[2] {2, 10}, x), f32[3,2] {1, 2, 3, 4, 5, 6}) {transB=1}")
            .rule(mul_before_conv)
            .becomes("x: f32[N,2]; y = Gemm(x, f32[3,2] {2, 20, 6, 40, 10, 60}) {transB=1}"));
}

TEST_CASE("mul_before_conv through all variants") {
  for (const std::string_view text :
       {"x: f32[1,4,5,5]; w = f32[6,2,3,3] random; b = f32[6] random; c = f32[4,1,1] random;"
        "h = Mul(x, c); y = Conv(h, w, b) {group=2, pads=[1,1,1,1]}",
        "x: f32[2,3]; w = f32[3,4] random; b = f32[4] random; c = f32[3] random(1, 2);"
        "h = Div(x, c); y = Gemm(h, w, b)"}) {
    const VariantReport report = variants(mul_before_conv, text, {.atol = 1e-5});
    CHECK(report);
    CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
    CHECK(report.find("%c as an input that callers may override")->outcome == Variant::Outcome::refused);
    CHECK(report.find("another consumer of %w")->outcome == Variant::Outcome::equivalent);
  }
}

TEST_CASE("mul_before_conv refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(mul_before_conv).refuses(reason);
  };
  CHECK(refuses("x: f32[1,1,4,4]; y = Conv(Mul(x, f32[3,1,1] 2), f32[2,3,1,1] 1)", "broadcast"));
  CHECK(refuses("x: f32[1,3,4,4]; y = Conv(Mul(x, f32[4] 2), f32[2,3,1,1] 1)", "one value for each channel"));
  CHECK(refuses("x: f32; y = Conv(Mul(x, f32[1,1,1,1] 2), f32[2,3,1,1] 1)", "rank"));
  CHECK(refuses("x: f32[1,3,4,4]; y = Conv(Div(x, f32[] 0), f32[2,3,1,1] 1)", "not finite"));
  CHECK(refuses("x: f32[1,3,4,4]; w: f32[2,3,1,1]; y = Conv(Mul(x, f32[] 2), w)", "constant"));
  CHECK(refuses("x: f32[1,3,4,4]; g = Mul(x, Add(Erf(Div(x, f32[] 1.4142135)), f32[] 1)); "
                "y = Conv(Mul(g, f32[] 0.5), f32[2,3,1,1] 1)",
                "part of a Gelu"));
  CHECK(refuses("x: f32[3,3]; y = Gemm(Mul(x, f32[3] 2), f32[3,2] 1) {transA=1}", "transposes"));
}
