#include <graft/simplify/fuse/reshape_gemm_reshape.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("reshape_gemm_reshape brings back the batch") {
  const std::string head = "x: f32[2,N,3]; w: f32[3,4]; b: f32[4]; ";
  const std::string rows = "Reshape(x, i64[2] {-1, 3})";
  CHECK(given("x: f32[2,5,3]; w: f32[3,4]; b: f32[4]; y = Reshape(Gemm(Reshape(x, i64[2] {10, 3}), w, b), i64[3] {2, "
              "5, 4})")
            .rule(reshape_gemm_reshape)
            .becomes("x: f32[2,5,3]; w: f32[3,4]; b: f32[4]; y = Add(MatMul(x, w), b)"));
  CHECK(given("x: f32[2,5,3]; w: f32[3,4]; y = Reshape(Gemm(Flatten(x) {axis=2}, w), i64[3] {2, -1, 4})")
            .rule(reshape_gemm_reshape)
            .becomes("x: f32[2,5,3]; w: f32[3,4]; y = MatMul(x, w)"));
  CHECK(
      given(
          "x: f32[2,5,3]; y = Reshape(Gemm(Reshape(x, i64[2] {-1, 3}), f32[2,3] {1,2,3,4,5,6}, f32[1,1] 1) {transB=1},"
          "i64[3] {2, 5, 2})")
          .rule(reshape_gemm_reshape)
          .becomes("x: f32[2,5,3]; y = Add(MatMul(x, f32[3,2] {1,4,2,5,3,6}), f32[1,1] 1)"));
  CHECK(given(head +
              "s = Shape(x); n = Concat(Slice(s, i64[1] 0, i64[1] 2), i64[1] 4) {axis=0};"
              "y = Reshape(Gemm(" +
              rows + ", w, b), n)")
            .rule(reshape_gemm_reshape)
            .equivalent());
}

TEST_CASE("reshape_gemm_reshape refuses") {
  const auto refuses = [](const std::string& gemm, const std::string& back, std::string_view reason) {
    return given("x: f32[2,5,4]; w: f32[4,4]; b: f32[10,4]; y = Reshape(Gemm(Reshape(x, i64[2] {-1, 4}), " + gemm +
                 ", i64[" + back)
        .rule(reshape_gemm_reshape)
        .refuses(reason);
  };
  CHECK(refuses("w)", "3] {5, 2, 4})", "bring back"));
  CHECK(refuses("w)", "2] {5, 8})", "bring back"));
  CHECK(refuses("w, b)", "3] {2, 5, 4})", "row to row"));
  CHECK(refuses("w) {alpha=2}", "3] {2, 5, 4})", "alpha"));
  CHECK(refuses("w) {transB=1}", "3] {2, 5, 4})", "no constant"));
  CHECK(given("x: f32[2,5,4]; w: f32[5,4]; y = Reshape(Gemm(Reshape(x, i64[2] {8, 5}), w), i64[3] {2, 4, 4})")
            .rule(reshape_gemm_reshape)
            .refuses());
}

TEST_CASE("reshape_gemm_reshape through all variants") {
  const VariantReport report =
      variants(reshape_gemm_reshape,
               "x: f32[2,5,4]; w = f32[4,4] random; b = f32[4] random; r = Reshape(x, i64[2] {10, 4});"
               "h = Gemm(r, w, b); y = Reshape(h, i64[3] {2, 5, 4})");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
  CHECK(report.find("another consumer of %r")->outcome == Variant::Outcome::refused);
}
