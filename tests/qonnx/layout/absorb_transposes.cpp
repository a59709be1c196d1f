#include <graft/qonnx/layout/absorb_transposes.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "qonnx/as_qonnx.hpp"

using namespace graft;

namespace {

const std::string head = "opset 13; x: f32[N,2,3,2]; t = Transpose(x) {perm=[0,3,1,2]}; ";

Trial absorbed(const std::string& body) { return given(head + body).pass(qonnx::absorb_transposes()); }

std::size_t transposes(const std::string& body) {
  Model model = graph(head + body);
  qonnx::absorb_transposes().run(model);
  std::size_t count = 0;
  for (const Node& node : model.graph().nodes()) count += node.is("Transpose") && node.output(0)->is_used() ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("rows of a weight are put in the order of what is flattened", "[qonnx]") {
  const std::string text = "y = MatMul(Flatten(t), f32[12,1] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})";
  CHECK(absorbed(text).becomes(
      "opset 13; x: f32[N,2,3,2]; y = MatMul(Flatten(x), f32[12,1] {0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11})"));
  CHECK(absorbed(text).equivalent());
}

TEST_CASE("through Reshape, quantizers and Gemm, with quantized weights", "[qonnx]") {
  for (const std::string body :
       {"y = MatMul(Reshape(t, i64[2] {0, -1}), f32[12,3] random)",
        "y = MatMul(Reshape(t, i64[2] {-1, 12}), f32[12,3] random)",
        "y = Gemm(Flatten(t), f32[3,12] random, f32[3] random) {transB=1}",
        "y = Gemm(Flatten(t), f32[12,3] random, f32[3] random)"}) {
    INFO(body);
    CHECK(transposes(body) == 0);
    CHECK(absorbed(body).equivalent());
  }
  for (const std::string scale : {"f32[] 0.125", "f32[1,3] {0.1, 0.2, 0.3}", "f32[12,1] random(0.1, 0.2)"}) {
    const std::string body =
        "w = " + quant("f32[12,3] random", scale) + "; y = MatMul(" + quant("Relu(Flatten(t))") + ", w)";
    INFO(body);
    CHECK(transposes(body) == 0);
    CHECK(absorbed(body).equivalent(as_qonnx()));
  }
}

TEST_CASE("what is not flattened whole, and weights that are computed, stay", "[qonnx]") {
  CHECK(absorbed("y = MatMul(Flatten(t) {axis=2}, f32[6,3] random)").refuses("all axes except the first"));
  CHECK(absorbed("w: f32[12,3]; y = MatMul(Flatten(t), w)").refuses("not constant"));
  CHECK(absorbed("y = MatMul(Reshape(t, i64[2] {-1, 6}), f32[6,3] random)").refuses());
  CHECK(given("opset 13; x: f32[3,2,2]; t = Transpose(x) {perm=[1,0,2]}; y = MatMul(Flatten(t), f32[6,3] random)")
            .pass(qonnx::absorb_transposes())
            .refuses());
}
