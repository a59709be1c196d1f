#include <graft/lower/decompose_fused_matmul.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("FusedMatMul becomes Transposes, MatMul and a factor") {
  const std::string head = "opset 17; a: f32[2,3,4]; b: f32[2,5,4]; ";
  CHECK(given(head + "y = com.microsoft::FusedMatMul(a, b) {transB=1, alpha=2.0}")
            .rule(decompose_fused_matmul)
            .becomes(head + "y = Mul(MatMul(a, Transpose(b) {perm=[0,2,1]}), f32[] 2)"));
  const std::string moved = "opset 17; a: f32[4,2,3]; b: f32[4,2,5]; ";
  CHECK(given(moved + "y = com.microsoft::FusedMatMul(a, b) {transBatchA=1, transBatchB=1, transA=1}")
            .rule(decompose_fused_matmul)
            .becomes(moved + "y = MatMul(Transpose(a) {perm=[1,2,0]}, Transpose(b) {perm=[1,0,2]})"));
}

TEST_CASE("a factor below 1 of FusedMatMul is multiplied to an operand") {
  const std::string head = "opset 17; a: f32[4,3]; b: f32[4,5]; ", constant = "opset 17; a: f32[4,3]; b = f32[4,5] 1; ";
  const std::string fused = "y = com.microsoft::FusedMatMul(a, b) {transA=1, alpha=-0.5}";
  CHECK(given(head + fused)
            .rule(decompose_fused_matmul)
            .becomes(head + "y = MatMul(Transpose(Mul(a, f32[] -0.5)) {perm=[1,0]}, b)"));
  CHECK(given(constant + fused)
            .rule(decompose_fused_matmul)
            .becomes(constant + "y = MatMul(Transpose(a) {perm=[1,0]}, Mul(b, f32[] -0.5))"));
}

TEST_CASE("decompose_fused_matmul refuses") {
  const auto refuses = [](const std::string& text, const char* why) {
    return given(text).rule(decompose_fused_matmul).refuses(why);
  };
  CHECK(refuses("opset 17; a: f32[4]; b: f32[4]; y = com.microsoft::FusedMatMul(a, b) {transB=1}", "rank"));
  CHECK(refuses("opset 6; a: f32[4,4]; b: f32[4,4]; y = com.microsoft::FusedMatMul(a, b)", "opset 7"));
}
