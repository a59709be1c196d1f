#include <graft/lower/decompose_fused_gemm.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("FusedGemm becomes Gemm and its activation") {
  const std::string head = "opset 17; a: f32[2,3]; b: f32[3,4]; c: f32[4]; ";
  CHECK(given(head + "y = com.microsoft::FusedGemm(a, b, c) {beta=2.0, activation=\"LeakyRelu\", activation_alpha=0.5}")
            .rule(decompose_fused_gemm)
            .becomes(head + "y = LeakyRelu(Gemm(a, b, c) {beta=2.0}) {alpha=0.5}"));
}

TEST_CASE("decompose_fused_gemm refuses") {
  const auto refuses = [](const std::string& head, const std::string& attributes, const char* why) {
    return given(head + "y = com.microsoft::FusedGemm(a, b, c) {activation=\"Clip\", " + attributes + "}")
        .rule(decompose_fused_gemm)
        .refuses(why);
  };
  const std::string inputs = "a: f32[2,3]; b: f32[3,4]; c: f32[4]; ";
  CHECK(refuses("opset 17; " + inputs, "activation_beta=1.0", "alone"));
  CHECK(refuses("opset 6; " + inputs, "activation_alpha=0.0", "opset 7"));
  CHECK(refuses("opset 17; x: f32[2,3]; a, b, c = Unknown::Op(x); ", "activation_alpha=0.0", "dtype is not known"));
}
