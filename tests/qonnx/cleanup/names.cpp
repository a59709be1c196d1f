#include <graft/qonnx/cleanup/names.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/testing.hpp>
#include "surgery/sound.hpp"

using namespace graft;

namespace {

std::vector<std::string> names(const Model& model) {
  std::vector<std::string> result;
  for (const Graph* const scope : model.scopes())
    for (const Node& node : scope->nodes()) result.emplace_back(node.name());
  return result;
}

}  // namespace

TEST_CASE("nodes are called by operator and number, through all scopes", "[qonnx]") {
  Model model = graph(
      "x: f32[2]; c: bool[]; a = Neg(x); b = Abs(a); d = Neg(b);"
      "y = If(c) {then_branch={ t = Neg(d) }, else_branch={ u = Relu(d) }}");
  qonnx::numbered_node_names().run(model);
  CHECK(names(model) == std::vector<std::string>{"Neg_0", "Abs_0", "Neg_1", "If_0", "Neg_2", "Relu_0"});
  CHECK(qonnx::numbered_node_names().run(model).changes == 0);
  CHECK(qonnx::numbered_node_names("net_").run(model).changes == 6);
  CHECK(names(model).front() == "net_Neg_0");
}

TEST_CASE("facts about nodes move with them where they swap their names", "[qonnx]") {
  onnx::ModelProto proto = graph("x: f32[2]; a = Neg(x); y = Neg(a)").proto();
  proto.mutable_graph()->mutable_node(0)->set_name("Neg_1");
  proto.mutable_graph()->mutable_node(1)->set_name("Neg_0");
  Model model(proto);
  Context context;
  context.facts.provide(KeptInFloat{{{{"Neg_1", "why"}}}});
  qonnx::numbered_node_names().run(model, context);
  CHECK(context.facts.find<KeptInFloat>()->holds(*model.graph().first_node()));
  CHECK_FALSE(context.facts.find<KeptInFloat>()->holds(*model.graph().last_node()));
}

namespace {

Pass readable(bool signature = false) {
  return qonnx::numbered_node_names() | qonnx::readable_tensor_names({.signature = signature});
}

}  // namespace

TEST_CASE("tensors are called after the nodes that make or read them", "[qonnx]") {
  Model model = graph(
      "x: f32[2]; w = f32[2] {1, 2}; v = f32[2] {3, 4}; a = Add(x, w); b = Where(Greater(a, v), v, a);"
      "y = Relu(b)");
  readable().run(model);
  const Graph& g = model.graph();
  CHECK(g.find("x") != nullptr);
  CHECK(g.output(0)->name() == "y");
  CHECK(g.find("Add_0_out0")->producer()->is("Add"));
  CHECK(g.find("Where_0_out0")->producer()->is("Where"));
  CHECK(g.find("Add_0_param0")->constant()->data<float>()[1] == 2);
  CHECK(g.find("Greater_0_param0")->constant()->data<float>()[1] == 4);
  CHECK(unsound(model) == "");
  CHECK(readable().run(model).changes == 0);
}

TEST_CASE("the signature is renamed only if asked for", "[qonnx]") {
  Model model = graph("global_out: f32[2]; x: f32[2]; a = Neg(global_out); b = Abs(x); return b, a");
  readable(true).run(model);
  CHECK(model.graph().inputs()[0]->name() == "global_in");
  CHECK(model.graph().inputs()[1]->name() == "global_in_1");
  CHECK(model.graph().output(0)->name() == "global_out");
  CHECK(model.graph().output(0)->producer()->is("Abs"));
  CHECK(model.graph().output(1)->name() == "global_out_1");
  CHECK(readable(true).run(model).changes == 0);
}

TEST_CASE("names swap, give way to the signature and reach into bodies", "[qonnx]") {
  const std::string text =
      "Neg_0_out0: f32[2]; c: bool[]; Neg_1_out0 = Neg(Neg_0_out0); a = Neg(Neg_1_out0);"
      "y = If(c) {then_branch={ t = Add(a, f32[2] {1, 2}) }, else_branch={ u = Relu(Neg_1_out0) }}";
  Model model = graph(text);
  readable().run(model);
  CHECK(model.graph().find("Neg_0_out0")->is_graph_input());
  CHECK(model.graph().find("Neg_0_out0_1")->producer()->name() == "Neg_0");
  CHECK(model.graph().find("Neg_1_out0")->producer()->name() == "Neg_1");
  CHECK(unsound(model) == "");
  CHECK(readable().run(model).changes == 0);
  CHECK(given(text).pass(readable()).equivalent());
}

TEST_CASE("names of initializers that only annotations name are taken", "[qonnx]") {
  Model model = graph("x: f32[2]; w = f32[2] {1, 2}; Add_0_param0 = f32[] 2; y = Add(x, w)");
  readable().run(model);
  CHECK(model.graph().find("Add_0_param0")->constant()->size() == 1);
  CHECK(model.graph().find("Add_0_param0_1")->use_count() == 1);
}
