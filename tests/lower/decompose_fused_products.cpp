#include <graft/lower/decompose_fused_products.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("all fused products are taken apart, and com.microsoft goes") {
  const std::string head = "opset 17; x: f32[1,2,5,5]; w: f32[4,2,3,3]; b: f32[3,6]; c: f32[6,2]; ";
  CHECK(given(head + "h = com.microsoft::FusedConv(x, w) {activation=\"Relu\"}; "
                     "p = com.microsoft::FusedMatMul(h, b); "
                     "y = com.microsoft::FusedGemm(Reshape(p, i64[2] {12, 6}), c) {activation=\"Tanh\"}")
            .pass(decompose_fused_products())
            .becomes(head + "p = MatMul(Relu(Conv(x, w)), b); y = Tanh(Gemm(Reshape(p, i64[2] {12, 6}), c))"));
}
