#include <graft/simplify/fuse/matmul_add_to_gemm.hpp>

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
  CHECK(refuses("x: f32[2,3]; w: f32[3,4]; c: f32[1,2,4]; y = Add(MatMul(x, w), c)", "rank 2"));
  CHECK(refuses("x: f32[2,3]; w: f32[3,4]; c: f32; y = Add(MatMul(x, w), c)", "rank 2"));
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
        "x: f32[2,5,3]; w = f32[3,4] random; c = f32[1,4] random; ",
        "x: f32[2,5,3]; w: f32[3,N]; c = f32[1] random; ",
        "x: f32[2,5,3]; w = f32[2,3,4] random; c = f32[4] random; "}) {
    INFO(head);
    CHECK(given(std::string(head) + "y = Add(MatMul(x, w), c)").rule(batched_matmul_add_to_gemm).refuses("no batch"));
  }
}
