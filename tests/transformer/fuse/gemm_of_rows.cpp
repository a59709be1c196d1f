#include <graft/transformer/fuse/gemm_of_rows.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string layer(std::string_view input, std::string_view gemm, std::string_view last = "i64[3] {-1, 5, 3}") {
  return std::string(input) + "; w = f32[4,3] random; b = f32[3] random; r = Reshape(x, i64[2] {-1, 4}); g = " +
         std::string(gemm) + "; z = Reshape(g, " + std::string(last) + "); y = Relu(z)";
}
constexpr std::string_view input = "x: f32[B,5,4]", gemm = "Gemm(r, w, b)";

Trial rewritten(const std::string& text) { return given(text).rule(gemm_of_rows); }

}  // namespace

TEST_CASE("a layer over rows becomes one over batches") {
  const std::string weights = "x: f32[B,5,4]; w = f32[4,3] random; b = f32[3] random; ";
  CHECK(rewritten(layer(input, gemm)).becomes(weights + "y = Relu(Add(MatMul(x, w), b))"));
  CHECK(rewritten(layer(input, "Gemm(r, w)")).becomes(weights + "y = Relu(MatMul(x, w))"));
  CHECK(rewritten(layer(input, gemm)).equivalent());
  CHECK(variants(gemm_of_rows, layer(input, gemm)));
}

TEST_CASE("extents that are symbols stay so") {
  const std::string target = "Concat(Shape(x) {end=2}, i64[1] 3) {axis=0}";
  CHECK(rewritten("opset 17; " + layer("x: f32[B,S,4]", gemm, target)).equivalent());
  CHECK(rewritten("opset 17; " + layer("x: f32[B,S,4]", gemm, target))
            .becomes("opset 17; x: f32[B,S,4]; w = f32[4,3] random; b = f32[3] random; "
                     "y = Relu(Add(MatMul(x, w), b))"));
}

TEST_CASE("heads are joined in front of the product") {
  const std::string text = layer("x: f32[B,5,2,2]", gemm);
  CHECK(rewritten(text).becomes(
      "x: f32[B,5,2,2]; w = f32[4,3] random; b = f32[3] random; "
      "y = Relu(Add(MatMul(Reshape(x, i64[3] {-1, 5, 4}), w), b))"));
  CHECK(rewritten(text).equivalent());
}

TEST_CASE("gemm_of_rows refuses") {
  const auto refuses = [](const std::string& text, std::string_view reason) { return rewritten(text).refuses(reason); };
  CHECK(refuses(layer(input, gemm, "i64[2] {-1, 15}"), "batches"));
  CHECK(refuses(layer(input, gemm, "i64[3] {-1, 3, 5}"), "columns"));
  CHECK(refuses(layer("x: f32[2,5,4]", "Gemm(r, w, f32[10,3] random)"), "row to row"));
  CHECK(refuses(layer("x: f32[B,5,4]", "Gemm(r, f32[3,4] random, b) {transB=1}"), "transB"));
  CHECK(refuses("x: f32[S,B,4]; " + layer("s: f32[B,S]", gemm, "Concat(Shape(s), i64[1] 3) {axis=0}"),
                "several extents"));
}
