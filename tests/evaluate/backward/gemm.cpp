#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradients of MatMul and Gemm are slopes") {
  for (const char* model : {
           "a: f32[3,4]; b: f32[4,5]; y = MatMul(a, b)",
           "a: f32[2,3,4]; b: f32[4,5]; y = MatMul(a, b)",
           "a: f32[2,3,4]; b: f32[1,1,4,5]; y = MatMul(a, b)",
           "a: f32[2,1,3,4]; b: f32[5,4,2]; y = MatMul(a, b)",
           "a: f32[3,4]; b: f32[2,4,2]; y = MatMul(a, b)",
           "a: f32[4]; b: f32[4,5]; y = MatMul(a, b)",
           "a: f32[4]; b: f32[3,4,5]; y = MatMul(a, b)",
           "a: f32[2,3,4]; b: f32[4]; y = MatMul(a, b)",
           "a: f32[4]; b: f32[4]; y = MatMul(a, b)",
           "a: f32[3,4]; b: f32[4,5]; y = Gemm(a, b)",
           "a: f32[3,4]; b: f32[4,5]; c: f32[5]; y = Gemm(a, b, c) {alpha=0.5, beta=2.0}",
           "a: f32[4,3]; b: f32[4,5]; c: f32[3,1]; y = Gemm(a, b, c) {transA=1}",
           "a: f32[3,4]; b: f32[5,4]; c: f32[3,5]; y = Gemm(a, b, c) {transB=1, alpha=-1.5}",
           "a: f32[4,3]; b: f32[5,4]; c: f32[]; y = Gemm(a, b, c) {transA=1, transB=1}",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
