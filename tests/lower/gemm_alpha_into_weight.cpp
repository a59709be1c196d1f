#include <graft/lower/gemm_alpha_into_weight.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("gemm_alpha_into_weight multiplies the weight") {
  const std::string head = "x: f32[N,3]; b = f32[2] {1, 4}; y = Gemm(x, ";
  const auto becomes = [&](const std::string& before, const std::string& after) {
    INFO(before);
    return given(head + before).rule(gemm_alpha_into_weight).becomes(head + after);
  };
  CHECK(becomes("f32[3,2] {1, 2, 3, 4, 5, 6}, b) {alpha=0.5}", "f32[3,2] {0.5, 1, 1.5, 2, 2.5, 3}, b) {alpha=1.0}"));
  CHECK(becomes("f32[3,2] {1, 2, 3, 4, 5, 6}) {alpha=-2.0}", "f32[3,2] {-2, -4, -6, -8, -10, -12}) {alpha=1.0}"));
  CHECK(becomes("f32[2,3] {1, 2, 3, 4, 5, 6}, b) {alpha=2.0, transB=1, beta=3.0}",
                "f32[2,3] {2, 4, 6, 8, 10, 12}, b) {alpha=1.0, transB=1, beta=3.0}"));
  CHECK(given("x: f32[3,4]; y = Gemm(x, f32[2,3] random, f32[2] random) {transA=1, transB=1, alpha=0.3}")
            .rule(gemm_alpha_into_weight)
            .equivalent());
}

TEST_CASE("gemm_alpha_into_weight through all variants") {
  const VariantReport report = variants(
      gemm_alpha_into_weight, "x: f32[N,3]; w = f32[3,4] random; c = f32[4] random; y = Gemm(x, w, c) {alpha=0.5}");
  INFO(report.message());
  CHECK(report);
  CHECK(report.find("%w as an input that callers may override")->outcome == Variant::Outcome::refused);
}

TEST_CASE("gemm_alpha_into_weight refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(gemm_alpha_into_weight).refuses(reason);
  };
  CHECK(refuses("x: f32[2,3]; y = Gemm(x, f32[3,4] random)", "0 or 1"));
  CHECK(refuses("x: f32[2,3]; y = Gemm(x, f32[3,4] random) {alpha=0.0}", "0 or 1"));
  CHECK(refuses("x: f32[2,3]; w: f32[3,4]; y = Gemm(x, w) {alpha=2.0}", ""));
  CHECK(refuses("x: f32[2,3]; w = f32[3,4] random; y = Gemm(x, w) {alpha=2.0}; z = Relu(w)", "shared"));
  CHECK(refuses("x: i32[2,3]; y = Gemm(x, i32[3,4] random) {alpha=2.0}", "float"));
  CHECK(refuses("x: f16[2,1]; y = Gemm(x, f16[1,2] 60000) {alpha=2.0}", "too large"));
}
