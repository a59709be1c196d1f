#include <graft/simplify/eliminate/reshape_matmul_reshape.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

void becomes_matmul(const std::string& operands, const std::string& text) {
  INFO(operands << text);
  CHECK(given(operands + text).rule(reshape_matmul_reshape).becomes(operands + "y = MatMul(a, b)"));
  CHECK(given(operands + text).rule(reshape_matmul_reshape).equivalent());
}

void stays(const std::string& text) {
  INFO(text);
  CHECK(given(text).rule(reshape_matmul_reshape).becomes(text));
}

}  // namespace

TEST_CASE("rows that are laid out for one matrix") {
  becomes_matmul("a: f32[2,3,4]; b: f32[4,5];",
                 "y = Reshape(MatMul(Reshape(a, i64[2] {6, 4}), b), i64[3] {2, 3, 5})");
  becomes_matmul("a: f32[2,3,4]; b: f32[1,4,5];",
                 "y = Reshape(MatMul(Reshape(a, i64[2] {-1, 4}), Squeeze(b, i64[1] 0)), i64[3] {2, 3, 5})");
  becomes_matmul("a: f32[2,3,4]; b: f32[4];",
                 "y = Reshape(MatMul(Flatten(a) {axis=2}, Unsqueeze(b, i64[1] 1)), i64[2] {2, 3})");
  becomes_matmul("a: f32[4]; b: f32[4,5];", "y = Reshape(MatMul(Unsqueeze(a, i64[1] 0), b), i64[1] 5)");
  becomes_matmul("a: f32[N,3,4]; b: f32[4,5];",
                 "y = Reshape(MatMul(Reshape(a, i64[4] {0, 1, 3, 4}), b), i64[3] {0, 3, 5})");
}

TEST_CASE("matrices of one batch, however it is laid out") {
  becomes_matmul("a: f32[2,3,4,5]; b: f32[2,3,5,6];",
                 "y = Reshape(MatMul(Reshape(a, i64[3] {6, 4, 5}), Reshape(b, i64[3] {6, 5, 6})),"
                 "i64[4] {2, 3, 4, 6})");
  becomes_matmul("a: f32[4,5]; b: f32[2,3,5,6];",
                 "y = Reshape(MatMul(a, Reshape(b, i64[3] {6, 5, 6})), i64[4] {2, 3, 4, 6})");
}

TEST_CASE("a matrix that is laid out anew is multiplied as it is") {
  const std::string operands = "a: f32[2,3,4]; b: f32[5,4]; c = Reshape(b, i64[2] {4, 5});";
  CHECK(given(operands + "y = Reshape(MatMul(Reshape(a, i64[2] {6, 4}), c), i64[3] {2, 3, 5})")
            .rule(reshape_matmul_reshape)
            .becomes(operands + "y = MatMul(a, c)"));
}

TEST_CASE("reshape_matmul_reshape through all variants") {
  const VariantReport report = variants(
      reshape_matmul_reshape,
      "a: f32[2,3,4]; b = f32[4,5] random; p = Reshape(a, i64[2] {6, 4}); m = MatMul(p, b); y = Reshape(m, i64[3] {2, "
      "3, 5})");
  CHECK(report);
  CHECK(report.find("another consumer of %p")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("another consumer of %m")->outcome == Variant::Outcome::refused);
}

TEST_CASE("what multiplies other rows, or gives another shape, stays") {
  // The product of the whole has the wanted shape, but other elements.
  stays("a: f32[4,1,1]; b: f32[4,1,1];"
        "y = Reshape(MatMul(Reshape(a, i64[3] {1, 2, 2}), Reshape(b, i64[3] {1, 2, 2})), i64[3] {4, 1, 1})");
  stays("a: f32[2,1,2,2]; b: f32[2,2,2,2];"
        "y = Reshape(MatMul(Reshape(a, i64[3] {2, 2, 2}), b), i64[4] {2, 2, 2, 2})");
  stays("a: f32[3,4]; b: f32[2,4,5]; y = Reshape(MatMul(a, Reshape(b, i64[2] {4, 10})), i64[3] {2, 3, 5})");
  stays("a: f32[2,3,4]; b: f32[4,6]; y = Reshape(MatMul(Reshape(a, i64[2] {6, 4}), b), i64[3] {3, 2, 6})");
  stays("a: f32[4]; b: f32[4];"
        "y = Reshape(MatMul(Unsqueeze(a, i64[1] 0), Unsqueeze(b, i64[1] 1)), i64[0] {})");
  stays("a: f32[2,3,4]; b: f32[4,5]; y = Reshape(MatMul(a, b), i64[2] {6, 5})");
}
