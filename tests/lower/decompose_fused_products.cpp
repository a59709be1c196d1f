#include <graft/lower/decompose_fused_products.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("FusedMatMul becomes Transposes, MatMul and a factor") {
  const std::string head = "opset 17; a: f32[2,3,4]; b: f32[2,5,4]; ";
  CHECK(given(head + "y = com.microsoft::FusedMatMul(a, b) {transB=1, alpha=0.5}")
            .pass(decompose_fused_products())
            .becomes(head + "y = Mul(MatMul(a, Transpose(b) {perm=[0,2,1]}), f32[] 0.5)"));
  const std::string moved = "opset 17; a: f32[4,2,3]; b: f32[4,2,5]; ";
  CHECK(given(moved + "y = com.microsoft::FusedMatMul(a, b) {transBatchA=1, transBatchB=1, transA=1}")
            .pass(decompose_fused_products())
            .becomes(moved + "y = MatMul(Transpose(a) {perm=[1,2,0]}, Transpose(b) {perm=[1,0,2]})"));
  CHECK(given("opset 17; a: f32[4]; b: f32[4]; y = com.microsoft::FusedMatMul(a, b) {transB=1}")
            .rule(decompose_fused_matmul)
            .refuses("rank"));
}

TEST_CASE("FusedConv and FusedGemm become the product and what is behind it") {
  const std::string head = "opset 17; x: f32[1,2,5,5]; w: f32[4,2,3,3]; z: f32[1,4,3,3]; ";
  CHECK(given(head + "y = com.microsoft::FusedConv(x, w) {strides=[2,2], activation=\"Relu\"}")
            .pass(decompose_fused_products())
            .becomes(head + "y = Relu(Conv(x, w) {strides=[2,2]})"));
  CHECK(given(head + "y = com.microsoft::FusedConv(x, w, _, z) {activation=\"Clip\", activation_params=[0.0, 6.0]}")
            .pass(decompose_fused_products())
            .becomes(head + "y = Clip(Add(Conv(x, w), z), f32[] 0, f32[] 6)"));
  CHECK(given(head + "y = com.microsoft::FusedConv(x, w) {activation=\"Elu\"}")
            .rule(decompose_fused_conv)
            .refuses("activation is not known"));
  const std::string matrices = "opset 17; a: f32[2,3]; b: f32[3,4]; c: f32[4]; ";
  CHECK(given(matrices + "y = com.microsoft::FusedGemm(a, b, c) {beta=2.0, activation=\"LeakyRelu\", "
                         "activation_alpha=0.5}")
            .pass(decompose_fused_products())
            .becomes(matrices + "y = LeakyRelu(Gemm(a, b, c) {beta=2.0}) {alpha=0.5}"));
}
