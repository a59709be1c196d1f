#include <graft/simplify/gemm.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("matmul_add_to_gemm with whatever broadcasts to the product") {
  for (const std::string_view addend : {"f32[N,4]", "f32[1,4]", "f32[N,1]", "f32[4]", "f32[1]", "f32[]"}) {
    INFO(addend);
    const std::string head = "x: f32[N,3]; w: f32[3,4]; c: " + std::string(addend) + "; ";
    CHECK(given(head + "y = Add(MatMul(x, w), c)").rule(matmul_add_to_gemm).becomes(head + "y = Gemm(x, w, c)"));
    CHECK(given(head + "y = Add(c, MatMul(x, w))").rule(matmul_add_to_gemm).becomes(head + "y = Gemm(x, w, c)"));
    CHECK(given(head + "y = Add(MatMul(x, w), c)").rule(matmul_add_to_gemm).equivalent());
  }
}

TEST_CASE("matmul_add_to_gemm through all variants") {
  const VariantReport report = variants(
      matmul_add_to_gemm, "x: f32[N,3]; w = f32[3,4] random; c = f32[4] random; h = MatMul(x, w); y = Add(h, c)");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
  CHECK(report.find("%w as an input that callers may override")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("opset 7")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("matmul_add_to_gemm refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(matmul_add_to_gemm).refuses(reason);
  };
  CHECK(refuses("x: f32[1,3]; w: f32[3,4]; c: f32[2,4]; y = Add(MatMul(x, w), c)", "broadcast"));
  CHECK(refuses("x: f32[2,3]; w: f32[3,4]; c: f32[M,4]; y = Add(MatMul(x, w), c)", "broadcast"));
  CHECK(refuses("x: f32[2,3]; w: f32[3,4]; c: f32[1,2,4]; y = Add(MatMul(x, w), c)", "rank 3 or more"));
  CHECK(refuses("x: f32[2,3]; w: f32[3,4]; c: f32; y = Add(MatMul(x, w), c)", "rank 3 or more"));
  CHECK(refuses("x: f32[5,2,3]; w: f32[3,4]; c: f32[4]; y = Add(MatMul(x, w), c)", "rank"));
  CHECK(refuses("opset 6; x: f32[2,3]; w: f32[3,4]; c: f32[2,4]; y = Add(MatMul(x, w), c)", "opset"));
}

TEST_CASE("a product that is its own addend stays a product") {
  const std::string twice = "x: f32[2,3]; w: f32[3,4]; h = MatMul(x, w); y = Add(h, h)";
  CHECK(given(twice).rule(matmul_add_to_gemm).refuses("also used by"));
}

TEST_CASE("integers stay: runtimes have no Gemm of them") {
  const char* const text = "x: i64[2,3]; w: i64[3,4]; c: i64[4]; y = Add(MatMul(x, w), c)";
  CHECK(given(text).rule(matmul_add_to_gemm).refuses("dtype"));
}

TEST_CASE("batched_matmul_add_to_gemm takes a batch of known extents for rows") {
  const std::string head = "x: f32[2,5,3]; w = f32[3,4] random; c = f32[4] random; ";
  const std::string wanted = head + "y = Reshape(Gemm(Reshape(x, i64[2] {-1, 3}), w, c), i64[3] {2, 5, 4})";
  CHECK(given(head + "y = Add(MatMul(x, w), c)").rule(batched_matmul_add_to_gemm).becomes(wanted));
  CHECK(given(head + "y = Add(c, MatMul(x, w))").rule(batched_matmul_add_to_gemm).becomes(wanted));
  const VariantReport report = variants(batched_matmul_add_to_gemm, head + "h = MatMul(x, w); y = Add(h, c)");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
}

TEST_CASE("batched_matmul_add_to_gemm takes whatever matrix and one addend for all") {
  const std::string head = "x: f32[2,5,3]; w: f32[3,4]; c: f32[1]; ";
  CHECK(given(head + "y = Add(MatMul(x, w), c)")
            .rule(batched_matmul_add_to_gemm)
            .becomes(head + "y = Reshape(Gemm(Reshape(x, i64[2] {-1, 3}), w, c), i64[3] {2, 5, 4})"));
}

TEST_CASE("batched_matmul_add_to_gemm refuses") {
  for (const std::string_view head :
       {"x: f32[N,5,3]; w = f32[3,4] random; c = f32[4] random; ",
        "x: f32[5,3]; w = f32[3,4] random; c = f32[4] random; ",
        "x: f32[0,5,3]; w = f32[3,4] random; c = f32[4] random; ",
        "x: f32[2,5,3]; w = f32[3,4] random; c = f32[1,4] random; ", "x: f32[2,5,3]; w: f32[3,N]; c = f32[1] random; ",
        "x: f32[2,5,3]; w = f32[2,3,4] random; c = f32[4] random; "}) {
    INFO(head);
    CHECK(
        given(std::string(head) + "y = Add(MatMul(x, w), c)").rule(batched_matmul_add_to_gemm).refuses("not a batch"));
  }
}

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
