#include <graft/lower/four_d/inputs.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Trial widened(const std::string& text) { return given(text).pass(four_d_initializers()); }

}  // namespace

TEST_CASE("constants that a net computes with are of rank 4") {
  CHECK(widened("x: f32[1,3,2,5]; w = f32[5] random; y = Mul(w, x); z = Div(x, w)")
            .becomes("x: f32[1,3,2,5]; w = f32[1,1,1,5] _; y = Mul(w, x); z = Div(x, w)"));
  CHECK(widened("x: f32[1,3,2,5]; y = Sub(x, f32[2,5] 3); z = Add(x, f32[3,1,5] 4)")
            .becomes("x: f32[1,3,2,5]; y = Sub(x, f32[1,1,2,5] 3); z = Add(x, f32[1,3,1,5] 4)"));
  CHECK(widened("x: f32[1,3,2,5]; y = Pow(x, f32[5] 2)").equivalent());
  CHECK(widened("x: f32[1,3,2,5]; y = MatMul(x, f32[3,5,4] 2)").equivalent());
  CHECK(widened("x: f32[1,3,2,5]; y = Pow(x, f32[5] 2)").idempotent());
}

TEST_CASE("all nodes are looked at, and each gets what it needs of a constant") {
  CHECK(widened("w = f32[5,5] random; x: f32[1,3,5,5]; v: f32[2,5]; a = Add(x, w); m = MatMul(a, w); y = Mul(m, w);"
                "g = Gemm(v, w)")
            .becomes("w = f32[5,5] random; u = f32[1,1,5,5] _; x: f32[1,3,5,5]; v: f32[2,5]; a = Add(x, u);"
                     "m = MatMul(a, w); y = Mul(m, u); g = Gemm(v, w)"));
}

TEST_CASE("a matrix that Conv reads becomes its kernel, transposed") {
  CHECK(widened("x: f32; y = Conv(x, f32[3,2] {1,2,3,4,5,6})")
            .becomes("x: f32; y = Conv(x, f32[2,3,1,1] {1,3,5,2,4,6})"));
}

TEST_CASE("matrices of products stay, and what is not a constant of floats of rank 1 to 3") {
  CHECK(widened("x: f32[2,5]; w = f32[5,4] random; y = Gemm(x, w)").refuses("matrices only"));
  CHECK(widened("x: f32[1,2,5]; z: f32[1,2,5,5]; y = Conv(x, f32[2,3] 1); v = Mul(z, f32[5] 2)")
            .becomes("x: f32[1,2,5]; z: f32[1,2,5,5]; y = Conv(x, f32[2,3] 1); v = Mul(z, f32[1,1,1,5] 2)"));
  for (const char* const text : {"x: f32[1,1,2,5]; y = MatMul(x, f32[5,4] 2)", "x: f32[1,1,2,5]; y = Mul(x, f32[] 2)",
                                 "x: i64[1,1,2,5]; y = Mul(x, i64[5] 2)", "x: f32[1,1,2,5]; c: f32[5]; y = Mul(x, c)",
                                 "x: f32[1,1,2,5]; y = Mul(x, f32[1,1,1,5] 2)"})
    CHECK(widened(text).refuses("no constant"));
}
