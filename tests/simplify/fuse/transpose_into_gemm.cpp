#include <graft/simplify/fuse/transpose_into_gemm.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("transpose_into_gemm at either operand") {
  const std::string head = "x: f32[3,N]; y: f32[3,4]; b: f32[4]; ";
  CHECK(given(head + "r = Gemm(Transpose(x) {perm=[1,0]}, y, b) {alpha=2}")
            .rule(transpose_into_gemm_a)
            .becomes(head + "r = Gemm(x, y, b) {alpha=2, transA=1}"));
  CHECK(given(head + "r = Gemm(Transpose(x), y) {transA=1, transB=1}")
            .rule(transpose_into_gemm_a)
            .becomes(head + "r = Gemm(x, y) {transB=1}"));
  CHECK(given("x: f32[3,N]; y: f32[4,3]; r = Gemm(x, Transpose(y)) {transA=1}")
            .rule(transpose_into_gemm_b)
            .becomes("x: f32[3,N]; y: f32[4,3]; r = Gemm(x, y) {transA=1, transB=1}"));
  CHECK(given("x: f32[3,3]; r = Gemm(x, Transpose(x)) {transB=1}")
            .rule(transpose_into_gemm_b)
            .becomes("x: f32[3,3]; r = Gemm(x, x)"));
  CHECK(given("x: f32[3,3]; r = Gemm(x, Transpose(x) {perm=[0,1]})").rule(transpose_into_gemm_b).refuses("perm"));
}

TEST_CASE("transpose_into_gemm through all variants") {
  const VariantReport report =
      variants(transpose_into_gemm_a,
               "x: f32[3,N]; w = f32[3,4] random; b = f32[4] random; h = Transpose(x); y = Gemm(h, w, b)");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
  CHECK(variants(transpose_into_gemm_b,
                 "x: f32[N,3]; z: f32[4,3]; b = f32[4] random; h = Transpose(z) {perm=[1,0]}; y = Gemm(x, h, b)"));
}
