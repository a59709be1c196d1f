#include <graft/qonnx/layout/sink_transposes.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "qonnx/as_qonnx.hpp"

using namespace graft;

namespace {

Trial sunk(const std::string& body) {
  return given("opset 13; x: f32[1,3,4,2]; t = Transpose(x) {perm=[0,3,1,2]}; " + body).pass(qonnx::sink_transposes());
}

/// The last node is a Transpose, or the number of them is this.
std::size_t transposes(const std::string& body) {
  Model model = graph("opset 13; x: f32[1,3,4,2]; t = Transpose(x) {perm=[0,3,1,2]}; " + body);
  qonnx::sink_transposes().run(model);
  std::size_t count = 0;
  for (const Node& node : model.graph().nodes()) count += node.is("Transpose") ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a Transpose goes behind elementwise operators, and constants are put in order", "[qonnx]") {
  CHECK(sunk("y = Add(Relu(t), f32[2,1,1] {5, 6})")
            .becomes("opset 13; x: f32[1,3,4,2]; h = Add(Relu(x), f32[1,1,1,2] {5, 6});"
                     "y = Transpose(h) {perm=[0,3,1,2]}"));
  CHECK(sunk("c = f32[2,3,4] random; y = Mul(c, Clip(t, f32[] -0.5, f32[] 0.5))").equivalent());
  CHECK(sunk("y = " + quant("t", "f32[1,2,1,1] {0.125, 0.5}", "f32[2,1,1] {0, 1}")).equivalent(as_qonnx(0)));
  CHECK(sunk("w = " + quant("f32[1,2,1,1] random", "f32[2,1,1] {0.5, 0.25}") + "; y = Add(t, w)")
            .equivalent(as_qonnx(0)));
}

TEST_CASE("Transposes of several operands become one", "[qonnx]") {
  CHECK(transposes("y = Add(Relu(t), Neg(t))") == 1);
  CHECK(sunk("y = Add(Relu(t), Neg(t))").equivalent());
  CHECK(sunk("y = Concat(Relu(t), Neg(t), f32[1,5,3,4] random) {axis=1}").equivalent());
  CHECK(transposes("y = Concat(Relu(t), Neg(t), f32[1,5,3,4] random) {axis=-3}") == 1);
  CHECK(sunk("y = Concat(Relu(t), Neg(t)) {axis=-3}").equivalent());
}

TEST_CASE("two Transposes become one or none", "[qonnx]") {
  CHECK(transposes("y = Transpose(Relu(t)) {perm=[0,2,3,1]}") == 0);
  CHECK(sunk("y = Transpose(Relu(t)) {perm=[0,2,3,1]}").equivalent());
  CHECK(transposes("y = Transpose(Relu(t)) {perm=[1,0,2,3]}") == 1);
  CHECK(sunk("y = Transpose(Relu(t)) {perm=[1,0,2,3]}").equivalent());
}

TEST_CASE("axes, pads and layouts follow", "[qonnx]") {
  for (const std::string body :
       {"y = Softmax(t) {axis=1}", "y = LogSoftmax(t)", "y = Pad(t, i64[8] {0, 1, 2, 3, 0, 0, 1, 2}, f32[] 0.5)",
        "y = ReduceMean(t) {axes=[2,3]}", "y = ReduceSum(t, i64[2] {1, -1}) {keepdims=0}",
        "y = ReduceMax(t) {axes=[1], keepdims=0}", "y = GlobalAveragePool(t)"}) {
    INFO(body);
    CHECK(sunk(body).equivalent());
    CHECK(sunk(body).idempotent());
  }
  CHECK(sunk("y = qonnx.custom_op.general::MultiThreshold(t, f32[2,2] {-0.5, 0, 0, 0.5}) {data_layout=\"NCHW\"}")
            .equivalent(as_qonnx(0)));
  CHECK(sunk("y = qonnx.custom_op.general::MultiThreshold(t, f32[2,2] {-0.5, 0, 0, 0.5})").equivalent(as_qonnx(0)));
  CHECK(transposes("y = ReduceSum(t, i64[2] {2, 3}) {keepdims=0}") == 0);
}

TEST_CASE("each reader gets its own", "[qonnx]") {
  CHECK(transposes("y = Transpose(Relu(t)) {perm=[0,2,3,1]}; z = Transpose(Neg(t)) {perm=[0,2,3,1]};"
                   "return y, z") == 0);
  CHECK(transposes("y = Relu(t); z = Flatten(t); return y, z") == 2);
  CHECK(sunk("y = Relu(t); z = Flatten(t); return y, z").equivalent());
}

TEST_CASE("what is not in that order stops it", "[qonnx]") {
  CHECK(sunk("z: f32[1,2,3,4]; y = Add(t, z)").refuses("another operand"));
  CHECK(sunk("y = MatMul(t, f32[4,2] random)").refuses("does not go past"));
  CHECK(sunk("y = Add(t, f32[5,1,2,3,4] random)").refuses());
  CHECK(sunk("p: i64[8]; y = Pad(t, p)").refuses("pads"));
}

TEST_CASE("operands from outside a body, and ones that callers may override, keep their values", "[qonnx]") {
  CHECK(given("opset 13; c: bool[]; x: f32[2,3,4]; b: f32[4,3,2] = random; a = Transpose(x) {perm=[2,1,0]};"
              "y = If(c) {then_branch={ t = Relu(a) }, else_branch={ u = Add(a, b) }}")
            .pass(qonnx::sink_transposes())
            .equivalent());
}
