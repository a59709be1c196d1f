#include <graft/quantize/prepare/name_normalizations.hpp>

#include <cstddef>
#include <string>

#include <catch2/catch.hpp>

#include <graft/simplify/simplify.hpp>
#include <graft/surgery/inline_functions.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

/// As exporters write it, with the mean subtracted twice; y of x.
const std::string twice =
    "m = ReduceMean(x) {axes=[-1]}; v = ReduceMean(Pow(Sub(x, m), f32[] 2)) {axes=[-1]};"
    "y = Add(Mul(Div(Sub(x, m), Sqrt(Add(v, f32[] 0.001))), s), b)";
const std::string head = "x: f32[2,3,4]; s = f32[4] 1; b = f32[4] random; ";

std::size_t count(const Graph& graph, std::string_view op) {
  std::size_t number = 0;
  for (const Node& node : graph.nodes()) number += node.is(op);
  return number;
}

/// The nodes become those of a function, which is given what they read.
onnx::ModelProto in_a_function(Model model) {
  onnx::ModelProto proto = model.commit();
  onnx::GraphProto& main = *proto.mutable_graph();
  onnx::FunctionProto& function = *proto.add_functions();
  function.set_domain("own");
  function.set_name("Normalize");
  *function.mutable_opset_import() = proto.opset_import();
  proto.add_opset_import()->set_domain("own");
  proto.mutable_opset_import()->rbegin()->set_version(1);
  function.mutable_node()->Swap(main.mutable_node());
  onnx::NodeProto& call = *main.add_node();
  call.set_domain("own");
  call.set_op_type("Normalize");
  for (const onnx::ValueInfoProto& input : main.input()) call.add_input(input.name());
  for (const onnx::TensorProto& tensor : main.initializer()) call.add_input(tensor.name());
  for (const onnx::ValueInfoProto& output : main.output()) call.add_output(output.name());
  *function.mutable_input() = call.input();
  *function.mutable_output() = call.output();
  return proto;
}

}  // namespace

TEST_CASE("a layer normalization whose factors are 1 gets its name, at the opset that has it") {
  Model model = graph("opset 11; " + head + twice);
  const Model before = graph("opset 11; " + head + twice);
  const Report report = (name_normalizations() | simplify()).run(model);
  CHECK(report.rule("layer-normalization").applied == 1);
  CHECK(model.opset() == 17);
  CHECK(model.graph().nodes().size() == 1);
  CHECK(equivalent(before.graph(), model.graph(), {.inputs = 3, .atol = 1e-5}));
}

TEST_CASE("a model without a layer normalization stays at its opset") {
  for (const char* const rest : {"y = Sqrt(Add(x, s))", "y = Mul(Sub(x, ReduceMean(x) {axes=[-1]}), s)"}) {
    Model model = graph("opset 11; " + head + rest);
    CHECK(name_normalizations().run(model).changes == 0);
    CHECK(model.opset() == 11);
  }
  Model across = graph("opset 11; x: f32[2,4,4]; s = f32[4] 1; b = f32[4] 1; "
                       "d = Sub(x, ReduceMean(x) {axes=[1]});"
                       "y = Add(Mul(Div(d, Sqrt(Add(ReduceMean(Mul(d, d)) {axes=[1]}, f32[] 0.1))), s), b)");
  name_normalizations().run(across);
  CHECK(across.opset() == 11);
}

TEST_CASE("a layer normalization in a body gets its name") {
  Model model = graph("opset 13; c: bool[]; " + head + "z = If(c) {then_branch={" + twice +
                      "}, else_branch={r = Relu(x)}}");
  name_normalizations().run(model);
  CHECK(model.opset() == 17);
  CHECK(count(*model.graph().first_node()->bodies().front().graph, "LayerNormalization") == 1);
}

TEST_CASE("a layer normalization in a local function gets its name once that is inlined") {
  Model model(in_a_function(graph("opset 11; " + head + twice)));
  REQUIRE(model.graph().nodes().size() == 1);
  name_normalizations().run(model);
  CHECK(model.opset() == 11);
  (inline_functions() | name_normalizations()).run(model);
  CHECK(model.graph().nodes().size() == 1);
  CHECK(count(model.graph(), "LayerNormalization") == 1);
}
