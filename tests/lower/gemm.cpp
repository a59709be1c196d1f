#include <graft/lower/gemm.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("gemm_alpha_into_weight multiplies the weight") {
  const std::string head = "x: f32[N,3]; b = f32[2] {1, 4}; y = Gemm(x, ";
  const auto becomes = [&](const std::string& before, const std::string& after) {
    INFO(before);
    return given(head + before).rule(gemm_alpha_into_weight).becomes(head + after);
  };
  CHECK(becomes("f32[3,2] {1, 2, 3, 4, 5, 6}, b) {alpha=0.5}", "f32[3,2] {0.5, 1, 1.5, 2, 2.5, 3}, b) {alpha=1.0}"));
  CHECK(becomes("f32[3,2] {1, 2, 3, 4, 5, 6}) {alpha=-2.0}", "f32[3,2] {-2, -4, -6, -8, -10, -12}) {alpha=1.0}"));
  CHECK(becomes("f32[2,3] {1, 2, 3, 4, 5, 6}, b) {alpha=2.0, transB=1, beta=3.0}",
                "f32[2,3] {2, 4, 6, 8, 10, 12}, b) {alpha=1.0, transB=1, beta=3.0}"));
  CHECK(given("x: f32[3,4]; y = Gemm(x, f32[2,3] random, f32[2] random) {transA=1, transB=1, alpha=0.3}")
            .rule(gemm_alpha_into_weight)
            .equivalent());
}

TEST_CASE("gemm_alpha_into_weight through all variants") {
  const VariantReport report = variants(
      gemm_alpha_into_weight, "x: f32[N,3]; w = f32[3,4] random; c = f32[4] random; y = Gemm(x, w, c) {alpha=0.5}");
  INFO(report.message());
  CHECK(report);
  CHECK(report.find("%w as an input that callers may override")->outcome == Variant::Outcome::refused);
}

TEST_CASE("gemm_alpha_into_weight refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(gemm_alpha_into_weight).refuses(reason);
  };
  CHECK(refuses("x: f32[2,3]; y = Gemm(x, f32[3,4] random)", "0 or 1"));
  CHECK(refuses("x: f32[2,3]; y = Gemm(x, f32[3,4] random) {alpha=0.0}", "0 or 1"));
  CHECK(refuses("x: f32[2,3]; w: f32[3,4]; y = Gemm(x, w) {alpha=2.0}", ""));
  CHECK(refuses("x: f32[2,3]; w = f32[3,4] random; y = Gemm(x, w) {alpha=2.0}; z = Relu(w)", "shared"));
  CHECK(refuses("x: i32[2,3]; y = Gemm(x, i32[3,4] random) {alpha=2.0}", "float"));
  CHECK(refuses("x: f16[2,1]; y = Gemm(x, f16[1,2] 60000) {alpha=2.0}", "too large"));
}

TEST_CASE("Gemm becomes MatMul and Add") {
  const std::string head = "x: f32[N,3]; w: f32[3,4]; c: f32[4]; ";
  CHECK(given(head + "y = Gemm(x, w, c)").pass(gemms_to_matmul_adds()).becomes(head + "y = Add(MatMul(x, w), c)"));
  CHECK(given("x: f32[N,3]; w: f32[3,4]; y = Gemm(x, w)")
            .pass(gemms_to_matmul_adds())
            .becomes("x: f32[N,3]; w: f32[3,4]; y = MatMul(x, w)"));
  CHECK(given(head + "y = Gemm(x, w, c) {alpha=0.5, beta=2.0}")
            .pass(gemms_to_matmul_adds())
            .becomes(head + "y = Add(Mul(MatMul(x, w), f32[] 0.5), Mul(c, f32[] 2))"));
}

TEST_CASE("factors are transposed, constants at once") {
  CHECK(given("x: f32[3,N]; w: f32[4,3]; y = Gemm(x, w) {transA=1, transB=1}")
            .pass(gemms_to_matmul_adds())
            .becomes("x: f32[3,N]; w: f32[4,3];"
                     "y = MatMul(Transpose(x) {perm=[1,0]}, Transpose(w) {perm=[1,0]})"));
  CHECK(given("x: f32[N,3]; w = f32[2,3] {1, 2, 3, 4, 5, 6}; y = Gemm(x, w) {transB=1}; z = Neg(w)")
            .pass(gemms_to_matmul_adds())
            .becomes("x: f32[N,3]; y = MatMul(x, f32[3,2] {1, 4, 2, 5, 3, 6}); z = Neg(f32[2,3] {1, 2, 3, 4, 5, 6})"));
}

TEST_CASE("Reshapes around a Gemm go with it") {
  const std::string head = "x: f32[2,5,3]; w: f32[3,4]; c: f32[1,4]; ";
  CHECK(given(head + "y = Reshape(Gemm(Reshape(x, i64[2] {10, 3}), w, c), i64[3] {2, 5, 4})")
            .pass(gemms_to_matmul_adds())
            .becomes(head + "y = Add(MatMul(x, w), c)"));
  CHECK(
      given(
          "x: f32[2,5,3]; w: f32[4,3]; y = Reshape(Gemm(Reshape(x, i64[2] {-1, 3}), w) {transB=1}, i64[3] {2, 5, -1})")
          .pass(gemms_to_matmul_adds())
          .becomes("x: f32[2,5,3]; w: f32[4,3]; y = MatMul(x, Transpose(w) {perm=[1,0]})"));
}

TEST_CASE("rows are found where one extent is open, and heads are joined to them") {
  const std::string head = "w = f32[4,3] random; b = f32[3] random; ";
  const auto layer = [&](std::string_view input) {
    return std::string(input) + "; " + head +
           "y = Relu(Reshape(Gemm(Reshape(x, i64[2] {-1, 4}), w, b), i64[3] {-1, 5, 3}))";
  };
  CHECK(given(layer("x: f32[B,5,4]"))
            .rule(reshaped_gemm_to_matmul_add)
            .becomes("x: f32[B,5,4]; " + head + "y = Relu(Add(MatMul(x, w), b))"));
  const Trial joined = given(layer("x: f32[B,5,2,2]")).rule(reshaped_gemm_to_matmul_add);
  CHECK(joined.becomes("x: f32[B,5,2,2]; " + head + "y = Relu(Add(MatMul(Reshape(x, i64[3] {0, 0, 4}), w), b))"));
  CHECK(joined.equivalent());
  CHECK(given("x: f32[B,5,2,2]; y = Reshape(Gemm(Reshape(x, i64[2] {-1, 2}), f32[2,3] random), i64[3] {-1, 5, 3})")
            .rule(reshaped_gemm_to_matmul_add)
            .refuses("rows"));
}

TEST_CASE("a constant that others read untransposed is not stored twice") {
  const auto layer = [](std::string_view y, std::string_view weight, std::string_view more = "") {
    return std::string(y) + " = Reshape(Gemm(Reshape(x, i64[2] {10, 3}), " + std::string(weight) + ") {transB=1" +
           std::string(more) + "}, i64[3] {2, 5, 4}); ";
  };
  const std::string head = "x: f32[2,5,3]; w = f32[4,3] random; ";
  CHECK(given(head + layer("y", "w") + "z = Gather(w, i64[1] 2)")
            .rule(reshaped_gemm_to_matmul_add)
            .refuses("would be stored twice"));
  CHECK(given("v: f32[3,4]; " + head + layer("y", "w") + "z = Gemm(w, v)")
            .rule(reshaped_gemm_to_matmul_add)
            .refuses("would be stored twice"));
  Model shared = graph(head + layer("y", "w") + layer("z", "w", ", alpha=2.0"));
  CHECK(sweep(reshaped_gemm_to_matmul_add).run(shared).changes == 2);
  CHECK(given("x: f32[2,5,3]; w: f32[4,3]; " + layer("y", "w") + "z = Relu(w)")
            .rule(reshaped_gemm_to_matmul_add)
            .equivalent());
}

TEST_CASE("Reshapes that do more than flatten rows stay") {
  for (const std::string_view body :
       {"y = Reshape(Gemm(Reshape(x, i64[2] {10, 3}), w, c), i64[3] {5, 2, 4})",
        "y = Reshape(Gemm(Reshape(x, i64[2] {10, 3}), w, f32[10,4] random), i64[3] {2, 5, 4})",
        "y = Reshape(Gemm(Reshape(x, i64[2] {10, 3}), w, c), i64[2] {20, 2})",
        "y = Reshape(Gemm(Reshape(x, i64[2] {3, 10}), w, c) {transA=1}, i64[3] {2, 5, 4})"}) {
    INFO(body);
    const std::string text = "x: f32[2,5,3]; w: f32[3,4]; c: f32[4]; " + std::string(body);
    CHECK(given(text).rule(reshaped_gemm_to_matmul_add).refuses(""));
    CHECK(given(text).pass(gemms_to_matmul_adds()).equivalent());
  }
}

TEST_CASE("gemm_to_matmul_add through all variants") {
  const VariantReport report = variants(
      gemm_to_matmul_add, "x: f32[2,2]; w = f32[2,2] random; c = f32[2] random; h = Gemm(x, w, c); y = Neg(h)");
  CHECK(report);
  CHECK(report.find("another consumer of %w")->outcome == Variant::Outcome::equivalent);
  CHECK(variants(reshaped_gemm_to_matmul_add,
                 "x: f32[2,2,2]; w = f32[2,2] random; c = f32[2] random; f = Reshape(x, i64[2] {4, 2});"
                 "h = Gemm(f, w, c); y = Reshape(h, i64[3] {2, 2, 2})"));
}

TEST_CASE("integers keep a Gemm with factors") {
  CHECK(given("x: i32[2,2]; w: i32[2,2]; y = Gemm(x, w) {alpha=2.0}").rule(gemm_to_matmul_add).refuses("float dtype"));
  CHECK(given("x: i32[2,2]; w: i32[2,2]; y = Gemm(x, w)").rule(gemm_to_matmul_add).equivalent());
}

TEST_CASE("products with addends become Gemms, and Relu stays beside them") {
  const std::string head = "x: f32[2,5,3]; w: f32[3,4]; c: f32[4]; ";
  const std::string gemm = "Gemm(Reshape(x, i64[2] {-1, 3}), w, c)";
  CHECK(given(head + "y = Relu(Add(MatMul(x, w), c))")
            .pass(matmul_adds_to_gemms())
            .becomes(head + "y = Reshape(Relu(" + gemm + "), i64[3] {2, 5, 4})"));
  CHECK(given(head + "y = Relu(Add(c, MatMul(x, w)))")
            .rule(batched_matmul_add_relu_to_gemm)
            .becomes(head + "y = Reshape(Relu(" + gemm + "), i64[3] {2, 5, 4})"));
  CHECK(given(head + "h = Add(MatMul(x, w), c); y = Relu(h); return y, h")
            .pass(matmul_adds_to_gemms())
            .becomes(head + "h = Reshape(" + gemm + ", i64[3] {2, 5, 4}); y = Relu(h); return y, h"));
  CHECK(given("x: f32[N,3]; w: f32[3,4]; c: f32[4]; y = Relu(Add(MatMul(x, w), c))")
            .pass(matmul_adds_to_gemms())
            .becomes("x: f32[N,3]; w: f32[3,4]; c: f32[4]; y = Relu(Gemm(x, w, c))"));
}

TEST_CASE("matmul_adds_to_gemms infers what the model does not declare") {
  Model model(graph("x: f32[2,5,3]; w: f32[3,4]; c: f32[4]; y = Relu(Add(MatMul(Neg(x), w), c))").commit());
  matmul_adds_to_gemms().run(model);
  std::string ops;
  for (const Node& node : model.graph().nodes()) ops += std::string(node.op_type()) + " ";
  CHECK(ops == "Neg Reshape Gemm Relu Reshape ");
}

TEST_CASE("batched_matmul_add_relu_to_gemm through all variants") {
  const VariantReport report =
      variants(batched_matmul_add_relu_to_gemm,
               "x: f32[2,5,3]; w = f32[3,4] random; c = f32[4] random; h = MatMul(x, w); a = Add(h, c); y = Relu(a)");
  CHECK(report);
  CHECK(report.find("another consumer of %a")->outcome == Variant::Outcome::refused);
}

TEST_CASE("matmul_adds_to_gemms leaves vectors and batches of unknown extents") {
  for (const std::string_view text : {"x: f32[3]; w: f32[3,4]; c: f32[4]; y = Add(MatMul(x, w), c)",
                                      "x: f32[N,5,3]; w: f32[3,4]; c: f32[4]; y = Relu(Add(MatMul(x, w), c))",
                                      "x: f32[2,5,3]; w: f32[2,3,4]; c: f32[4]; y = Relu(Add(MatMul(x, w), c))"})
    CHECK(given(text).pass(matmul_adds_to_gemms()).becomes(text));
}
