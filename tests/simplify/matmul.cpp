#include <graft/simplify/matmul.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

constexpr std::string_view three =
    "x: f32[2,N,2]; q = f32[2,1] {1, 2}; k = f32[2,2] {3, 4, 5, 6}; v = f32[2,1] {7, 8};"
    "a = MatMul(x, q); b = MatMul(x, k); c = Relu(MatMul(x, v))";

}  // namespace

TEST_CASE("merge_matmuls puts the weights side by side") {
  CHECK(given(three)
            .pass(merge_matmuls())
            .becomes("x: f32[2,N,2]; m = MatMul(x, f32[2,4] {1, 3, 4, 7, 2, 5, 6, 8});"
                     "a, b, v = Split(m, i64[3] {1, 2, 1}) {axis=2}; c = Relu(v); return a, b, c"));
  CHECK(given("opset 12;" + std::string(three))
            .pass(merge_matmuls())
            .becomes("opset 12; x: f32[2,N,2]; m = MatMul(x, f32[2,4] {1, 3, 4, 7, 2, 5, 6, 8});"
                     "a, b, v = Split(m) {axis=2, split=[1,2,1]}; c = Relu(v); return a, b, c"));
}

TEST_CASE("merge_matmuls puts biases end to end") {
  const std::string weights = "x: f32[2,N,2]; q = f32[2,1] {1, 2}; k = f32[2,2] {3, 4, 5, 6};";
  CHECK(given(weights + "a = Add(MatMul(x, q), f32[1] 7); b = Relu(Add(f32[2] {8, 9}, MatMul(x, k)))")
            .pass(merge_matmuls())
            .becomes("x: f32[2,N,2]; m = Add(MatMul(x, f32[2,3] {1, 3, 4, 2, 5, 6}), f32[3] {7, 8, 9});"
                     "a, r = Split(m, i64[2] {1, 2}) {axis=2}; b = Relu(r)"));
  // Where one has no bias, or one that may broadcast, the biases stay.
  for (const std::string sum : {"b = MatMul(x, k)", "b = Add(MatMul(x, k), f32[1] 1)", "b = Add(MatMul(x, k), x)",
                                "c = MatMul(x, k); b = Add(c, f32[2] 1); d = Relu(c)"}) {
    INFO(sum);
    const Trial trial = given(weights + "a = Add(MatMul(x, q), f32[1] 7);" + sum).pass(merge_matmuls());
    CHECK(trial.equivalent());
    const Model model = trial.run().model;
    CHECK(model.graph().find("a")->producer()->is("Add"));
  }
  CHECK(variants(merge_matmuls(), weights + "r = f32[1] 7; s = f32[2] 8; m = MatMul(x, q); n = MatMul(x, k);"
                                            "a = Add(m, r); b = Relu(Add(s, n))"));
}

TEST_CASE("merge_matmuls through all variants") {
  const VariantReport report = variants(merge_matmuls(), three);
  CHECK(report);
  CHECK(report.find("as given")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("opset 18")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("merge_matmuls goes where the value is used elsewhere, too") {
  const std::string inputs = "x: f32[3,2]; q = f32[2,2] {1, 2, 3, 4}; k = f32[2,2] {5, 6, 7, 8};";
  CHECK(given(inputs + "a = Mul(MatMul(x, q), MatMul(x, k)); y = Add(x, a)")
            .pass(merge_matmuls())
            .becomes("x: f32[3,2]; m, n = Split(MatMul(x, f32[2,4] {1, 2, 5, 6, 3, 4, 7, 8}), i64[2] {2, 2}) {axis=1};"
                     "y = Add(x, Mul(m, n))"));
}

TEST_CASE("merge_matmuls takes each value by itself, where its products lie") {
  CHECK(
      given("x: f32[2]; z: f32[2]; a = f32[2,1] {1, 2}; b = f32[2,1] {3, 4}; c = f32[2,1] {5, 6};"
            "p = MatMul(x, a); q = MatMul(z, b); r = MatMul(x, c); y = Concat(p, q, r) {axis=0}")
          .pass(merge_matmuls())
          .becomes("x: f32[2]; z: f32[2]; b = f32[2,1] {3, 4}; p, r = Split(MatMul(x, f32[2,2] {1, 5, 2, 6}), i64[2] 1)"
                   "{axis=0}; q = MatMul(z, b); y = Concat(p, q, r) {axis=0}"));
}

TEST_CASE("merge_matmuls leaves what is alone, shared, or no constant matrix") {
  for (const std::string_view text :
       {"x: f32[2,2]; w = f32[2,2] 1; a = MatMul(x, w); b = MatMul(w, x)",
        "x: f32[2,2]; w = f32[2,2] 1; v: f32[2,2]; a = MatMul(x, w); b = MatMul(x, v)",
        "x: f32[2,2]; w = f32[2,2] 1; v = f32[2,2] 2; a = MatMul(x, w); b = MatMul(x, v); c = MatMul(w, x)",
        "x: f32; w = f32[2,2] 1; v = f32[2,2] 2; a = MatMul(x, w); b = MatMul(x, v)",
        "x: f32[2,2]; w = f32[2] 1; v = f32[2] 2; a = MatMul(x, w); b = MatMul(x, v)"}) {
    INFO(text);
    CHECK(given(text).pass(merge_matmuls()).becomes(text));
  }
}

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
  becomes_matmul("a: f32[2,3,4]; b: f32[4,5];", "y = Reshape(MatMul(Reshape(a, i64[2] {6, 4}), b), i64[3] {2, 3, 5})");
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

TEST_CASE("a matrix that is rearranged is multiplied as it is") {
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
  stays(
      "a: f32[4,1,1]; b: f32[4,1,1];"
      "y = Reshape(MatMul(Reshape(a, i64[3] {1, 2, 2}), Reshape(b, i64[3] {1, 2, 2})), i64[3] {4, 1, 1})");
  stays(
      "a: f32[2,1,2,2]; b: f32[2,2,2,2];"
      "y = Reshape(MatMul(Reshape(a, i64[3] {2, 2, 2}), b), i64[4] {2, 2, 2, 2})");
  stays("a: f32[3,4]; b: f32[2,4,5]; y = Reshape(MatMul(a, Reshape(b, i64[2] {4, 10})), i64[3] {2, 3, 5})");
  stays("a: f32[2,3,4]; b: f32[4,6]; y = Reshape(MatMul(Reshape(a, i64[2] {6, 4}), b), i64[3] {3, 2, 6})");
  stays(
      "a: f32[4]; b: f32[4];"
      "y = Reshape(MatMul(Unsqueeze(a, i64[1] 0), Unsqueeze(b, i64[1] 1)), i64[0] {})");
  stays("a: f32[2,3,4]; b: f32[4,5]; y = Reshape(MatMul(a, b), i64[2] {6, 5})");
}
