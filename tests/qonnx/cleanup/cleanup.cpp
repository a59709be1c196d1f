#include <graft/qonnx/cleanup/cleanup.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/testing.hpp>

#include "qonnx/annotated.hpp"
#include "qonnx/as_qonnx.hpp"
#include "surgery/sound.hpp"

using namespace graft;

namespace {

/// Two quantized layers as an exporter writes them: a shared scale, computed constants, a transposed weight, old
/// domains, an initializer that is an input.
const std::string net = R"(
  opset 13
  x: f32[1,3]
  v: f32[3] = {0.5, 0.25, 0.125}
  w = f32[3,4] random
  s = f32[] 0.125
  z = Constant() {value=f32[] 0}
  q = onnx.brevitas::Quant(Add(x, v), s, z, f32[] 4) {signed=1, narrow=0, rounding_mode="ROUND"}
  sw = Mul(s, f32[4,1] {1, 0.5, 0.25, 2})
  wq = onnx.brevitas::Quant(Transpose(w), sw, z, f32[] 3) {signed=1, narrow=1, rounding_mode="ROUND"}
  h = MatMul(q, Transpose(wq))
  unused = f32[] 4
  y = onnx.brevitas::BipolarQuant(h, s)
)";

std::size_t count(const Graph& graph, const std::string& op) {
  std::size_t result = 0;
  for (const Node& node : graph.nodes()) result += node.op_type() == op ? 1 : 0;
  return result;
}

}  // namespace

TEST_CASE("a model is cleaned up, and computes what it did", "[qonnx]") {
  Model model = graph(net);
  const Trial trial = given(model).pass(qonnx::cleanup()).changes_signature();
  CHECK(trial.idempotent());
  qonnx::cleanup().run(model);
  const Graph& g = model.graph();
  CHECK(unsound(model) == "");
  CHECK(g.inputs().size() == 1);
  CHECK(g.inputs()[0]->name() == "x");
  CHECK(g.output(0)->name() == "y");
  CHECK(g.nodes().size() == 5);
  CHECK(count(g, "Transpose") == 0);
  CHECK(count(g, "Quant") == 2);
  CHECK(model.opset(qonnx::domain) == 1);
  CHECK(model.opset("onnx.brevitas") == 0);
  CHECK(g.find("unused") == nullptr);
  for (const Value* const constant : g.initializers()) CHECK(constant->use_count() == 1);
  for (const Node& node : g.nodes()) {
    CHECK(std::string(node.name()).rfind(std::string(node.op_type()) + "_", 0) == 0);
    CHECK(node.output(0)->dtype() == DType::f32);
  }
  CHECK(g.find("MatMul_0_out0") != nullptr);

  Model frozen = graph(net);  // with the default of v, as cleanup takes it
  frozen.graph().remove_input(*frozen.graph().find("v"));
  CHECK(equivalent(frozen.graph(), g, as_qonnx()));
}

TEST_CASE("annotations go with their tensors under new names, or go", "[qonnx]") {
  Model model = annotated(graph(net));
  qonnx::cleanup().run(model);
  CHECK(odd_annotation(model) == "");
  CHECK(unsound(model) == "");
  // The zero point becomes a float, of the name that the new naming gives it.
  Model integers = annotated(graph(
      "opset 13; x: f32[1,4]; Quant_0_param1 = i64[] 0; y = " + quant("x", "f32[] 0.5", "Quant_0_param1", "i64[] 4")));
  qonnx::cleanup().run(integers);
  CHECK(odd_annotation(integers) == "");
  CHECK(integers.graph().initializers().size() == 3);
  CHECK(integers.graph().find("Quant_0_param1") == integers.graph().find("y")->producer()->input(2));
}

TEST_CASE("what an option asks for is done", "[qonnx]") {
  Model model = graph("x: f32[1,2,H,W]; w = f32[3,2,3,3] random; y = Conv(" + quant("x") + ", w, f32[3] {1, 2, 3})");
  qonnx::cleanup({.batch = 4, .input_shapes = {{"x", {4, 2, 5, 5}}}, .extract_biases = true, .rename_signature = true})
      .run(model);
  const Graph& g = model.graph();
  CHECK(to_string(g.inputs()[0]->shape()) == "[4,2,5,5]");
  CHECK(to_string(g.output(0)->shape()) == "[4,3,3,3]");
  CHECK(g.inputs()[0]->name() == "global_in");
  CHECK(g.output(0)->name() == "global_out");
  CHECK(g.last_node()->is("Add"));
  CHECK(unsound(model) == "");
}

TEST_CASE("quantizers over constants are folded only if asked for", "[qonnx]") {
  const std::string text = "x: f32[1,2]; w = " + quant("f32[2,2] {0.3, 0.7, -0.2, 4}") +
                           "; v = DequantizeLinear(i8[2] {1, 2}, f32[] 0.5); y = Add(MatMul(x, w), v)";
  Model kept = graph(text);
  qonnx::cleanup().run(kept);
  CHECK(kept.graph().nodes().size() == 4);
  Model folded = graph(text);
  qonnx::cleanup({.keep_quantizers = false}).run(folded);
  CHECK(folded.graph().nodes().size() == 2);
  CHECK(folded.opset(qonnx::domain) == 0);
  CHECK(equivalent(kept.graph(), folded.graph(), as_qonnx(0)));
}

TEST_CASE("below IR 4 initializers stop being inputs, too", "[qonnx]") {
  onnx::ModelProto proto = graph("ir 3; x: f32[2]; w: f32[2] = {1, 2}; y = Add(x, w)").proto();
  Model model(proto);
  qonnx::cleanup().run(model);
  CHECK(model.graph().inputs().size() == 1);
  CHECK(model.commit().graph().input_size() == 1);
}
