#include <graft/lower/four_d/matmul.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Trial converted(const std::string& text) { return given(text).pass(matmul_to_transpose_conv_transpose()); }

}  // namespace

TEST_CASE("a product of 4-D data with a matrix is a Conv between Transposes") {
  CHECK(converted("x: f32[2,1,4,3]; w = f32[3,2] {1,2,3,4,5,6}; y = MatMul(x, w)")
            .becomes("x: f32[2,1,4,3]; w = f32[2,3,1,1] {1,3,5,2,4,6};"
                     "y = Transpose(Conv(Transpose(x) {perm=[0,3,2,1]}, w) {kernel_shape=[1,1]}) {perm=[0,3,2,1]}"));
  CHECK(converted("x: f32[N,7,4,3]; w = f32[3,2] random; y = MatMul(x, w)").equivalent());
  CHECK(converted("x: f32[N,7,4,3]; w = f32[3,2] random; y = MatMul(x, w)").tidy());
}

TEST_CASE("a product of data of lower rank is a Conv between Unsqueeze and Squeeze as well") {
  CHECK(converted("x: f32[1,4,3]; w = f32[3,2] random; y = MatMul(x, w)")
            .becomes("x: f32[1,4,3]; w = f32[2,3,1,1] _; a = i64[1] 1; h = Transpose(Unsqueeze(x, a)) {perm=[0,3,2,1]};"
                     "y = Squeeze(Transpose(Conv(h, w) {kernel_shape=[1,1]}) {perm=[0,3,2,1]}, a)"));
  CHECK(converted("x: f32[2,4,3]; w = f32[3,2] random; y = MatMul(x, w)").equivalent());
  CHECK(converted("x: f32[N,3]; w = f32[3,2] random; y = MatMul(x, w)").equivalent());
  CHECK(converted("opset 11; x: f32[N,3]; w = f32[3,2] random; y = MatMul(x, w)").equivalent());
}

TEST_CASE("Gemm brings its bias, alpha, beta and transB") {
  const std::string head = "x: f32[N,3]; w = f32[3,2] random; v = f32[2,3] random; ";
  for (const char* const text :
       {"y = Gemm(x, w)", "y = Gemm(x, v, f32[2] {1,2}) {transB=1}", "y = Gemm(x, w, f32[1,2] {1,2}) {alpha=3, beta=2}",
        "y = Gemm(x, v, f32[] 3) {transB=1, alpha=0.5}", "b: f32[2]; y = Gemm(x, w, b) {alpha=2}"})
    CHECK(converted(head + text).equivalent());
}

TEST_CASE("what else reads the matrix of a product keeps it") {
  CHECK(converted("x: f32[1,1,4,3]; w = f32[3,2] random; y = MatMul(x, w); z = Relu(w)").equivalent());
}

TEST_CASE("matmul_to_transpose_conv_transpose refuses") {
  CHECK(converted("x: f32[4,3]; w: f32[3,2]; y = MatMul(x, w)").refuses("not a constant matrix"));
  CHECK(converted("x: f32[4,3]; w = f32[3] random; y = MatMul(x, w)").refuses("not a constant matrix"));
  CHECK(converted("x: i32[4,3]; w = i32[3,2] random; y = MatMul(x, w)").refuses("not a constant matrix"));
  CHECK(converted("x: f32[3]; w = f32[3,2] random; y = MatMul(x, w)").refuses("rank 2 to 4"));
  CHECK(converted("x: f32[0,3]; w = f32[3,2] random; y = MatMul(x, w)").refuses("no elements"));
  CHECK(converted("x: f32[3,4]; w = f32[3,2] random; y = Gemm(x, w) {transA=1}").refuses("transposes"));
  CHECK(converted("x: f32[4,3]; w = f32[3,2] random; y = Gemm(x, w, f32[4,1] 1)").refuses("bias"));
  CHECK(converted("x: f32[4,3]; w = f32[3,2] random; b: f32[2]; y = Gemm(x, w, b) {beta=2}").refuses("bias"));
}
