#include <graft/lower/batched_matmul_add_relu_to_gemm.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

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
