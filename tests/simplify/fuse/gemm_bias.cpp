#include <graft/simplify/fuse/gemm_bias.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("gemm_bias makes one value for each channel of what broadcasts along rows") {
  const std::string head = "x: f32[N,3]; w = f32[3,2] {1, 2, 3, 4, 5, 6}; ";
  const auto becomes = [&](const std::string& bias, const std::string& after) {
    INFO(bias);
    return given(head + "y = Gemm(x, w, " + bias).rule(gemm_bias).becomes(head + "y = Gemm(x, w, " + after);
  };
  CHECK(becomes("f32[2] {1, 4}) {beta=0.5, alpha=3.0}", "f32[2] {0.5, 2}) {alpha=3.0, beta=1.0}"));
  CHECK(becomes("f32[1,2] {1, 4})", "f32[2] {1, 4}) {beta=1.0}"));
  CHECK(becomes("f32[1,1] 7) {beta=-2.0}", "f32[2] {-14, -14}) {beta=1.0}"));
  CHECK(becomes("f32[1] 7)", "f32[2] {7, 7}) {beta=1.0}"));
  CHECK(becomes("f32[] 7) {beta=0.0}", "f32[2] {0, 0}) {beta=1.0}"));
  CHECK(given("x: f32[3,4]; y = Gemm(x, f32[2,3] random, f32[] 7) {transA=1, transB=1, beta=2.0}")
            .rule(gemm_bias)
            .equivalent());
}

TEST_CASE("gemm_bias through all variants") {
  const VariantReport report =
      variants(gemm_bias, "x: f32[N,3]; w = f32[3,4] random; c = f32[1,4] random; y = Gemm(x, w, c) {beta=0.5}");
  INFO(report.message());
  CHECK(report);
  CHECK(report.find("%w as an input that callers may override")->outcome == Variant::Outcome::refused);
  CHECK(report.find("opset 7")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("gemm_bias refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(gemm_bias).refuses(reason);
  };
  const std::string head = "x: f32[2,3]; w = f32[3,4] random; ";
  CHECK(refuses(head + "y = Gemm(x, w, f32[4] random)", "already"));
  CHECK(refuses(head + "y = Gemm(x, w, f32[2,4] random)", "row to row"));
  CHECK(refuses(head + "y = Gemm(x, w, f32[2,1] random) {beta=2.0}", "row to row"));
  CHECK(refuses(head + "y = Gemm(x, w) {beta=2.0}", ""));
  CHECK(refuses("x: i32[2,3]; w = i32[3,4] random; y = Gemm(x, w, i32[1,4] random)", "float"));
  CHECK(refuses("opset 6; x: f32[2,3]; w = f32[3,4] random; c = f32[4] random; y = Gemm(x, w, c) {beta=2.0}", "opset"));
}

TEST_CASE("gemm_bias refuses a product that f16 does not hold") {
  CHECK(given("x: f16[2,1]; w = f16[1,2] 1; b = f16[2] 60000; y = Gemm(x, w, b) {beta=2}")
            .rule(gemm_bias)
            .refuses("too large"));
}
