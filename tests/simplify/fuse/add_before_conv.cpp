#include <graft/simplify/fuse/add_before_conv.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("add_before_conv adds to the bias what the weights make of it") {
  CHECK(given("x: f32[1,2,N,4]; w = f32[1,2,1,2] {1, 2, 3, 4}; y = Conv(Add(x, f32[2,1,1] {1, 10}), w)")
            .rule(add_before_conv)
            .becomes("x: f32[1,2,N,4]; w = f32[1,2,1,2] {1, 2, 3, 4}; y = Conv(x, w, f32[1] 73)"));
  CHECK(given("x: f32[1,4,3]; w = f32[2,2,1] {1, 2, 3, 4}; b = f32[2] {5, 6};"
              "y = Conv(Sub(x, f32[4,1] {1, 2, 3, 4}), w, b) {group=2, auto_pad=\"VALID\"}")
            .rule(add_before_conv)
            .becomes("x: f32[1,4,3]; w = f32[2,2,1] {1, 2, 3, 4};"
                     "y = Conv(x, w, f32[2] {0, -19}) {group=2, auto_pad=\"VALID\"}"));
  CHECK(given("x: f32[N,2]; w = f32[2,3] {1, 2, 3, 4, 5, 6}; y = Gemm(Add(f32[2] {1, 10}, x), w) {alpha=2}")
            .rule(add_before_conv)
            .becomes("x: f32[N,2]; w = f32[2,3] {1, 2, 3, 4, 5, 6};"
                     "y = Gemm(x, w, f32[3] {82, 104, 126}) {alpha=2}"));
}

TEST_CASE("add_before_conv through all variants") {
  for (const std::string_view text :
       {"x: f32[1,4,5,5]; w = f32[6,2,3,3] random; b = f32[6] random; c = f32[4,1,1] random;"
        "h = Add(x, c); y = Conv(h, w, b) {group=2}",
        "x: f32[2,3]; w = f32[4,3] random; b = f32[4] random; c = f32[3] random;"
        "h = Sub(x, c); y = Gemm(h, w, b) {transB=1}"}) {
    const VariantReport report = variants(add_before_conv, text, {.atol = 1e-5});
    CHECK(report);
    CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
    CHECK(report.find("%c as an input that callers may override")->outcome == Variant::Outcome::refused);
  }
}

TEST_CASE("add_before_conv refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(add_before_conv).refuses(reason);
  };
  CHECK(refuses("x: f32[1,3,4,4]; y = Conv(Add(x, f32[] 1), f32[2,3,3,3] 1) {pads=[0,0,0,1]}", "padding"));
  CHECK(refuses("x: f32[1,3,4,4]; y = Conv(Add(x, f32[] 1), f32[2,3,3,3] 1) {auto_pad=\"SAME_UPPER\"}", "padding"));
  CHECK(refuses("x: f32[1,1,4,4]; y = Conv(Add(x, f32[3,1,1] 2), f32[2,3,1,1] 1)", "broadcast"));
  CHECK(refuses("x: f32[1,3,4,4]; y = Conv(Sub(f32[] 1, x), f32[2,3,1,1] 1)", "constant"));
  CHECK(refuses("x: f32[1,3,4,4]; y = Conv(Add(x, f32[] 3e38), f32[2,3,1,1] 1)", "too large"));
  CHECK(refuses("x: f32[1,3]; y = Gemm(Add(x, f32[] 2), f32[3,2] 1, f32[2] 1) {beta=0.5}", "beta"));
  CHECK(refuses("x: f32[3,3]; y = Gemm(Add(x, f32[3] 2), f32[3,2] 1) {transA=1}", "transposes"));
}
