#include <graft/qonnx/cleanup/numbered_node_names.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/testing.hpp>

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
  Model model = graph("x: f32[2]; c: bool[]; a = Neg(x); b = Abs(a); d = Neg(b);"
                      "y = If(c) {then_branch={ t = Neg(d) }, else_branch={ u = Relu(d) }}");
  qonnx::numbered_node_names().run(model);
  CHECK(names(model) == std::vector<std::string>{"Neg_0", "Abs_0", "Neg_1", "If_0", "Neg_2", "Relu_0"});
  CHECK(qonnx::numbered_node_names().run(model).changes == 0);
  CHECK(qonnx::numbered_node_names("net_").run(model).changes == 6);
  CHECK(names(model).front() == "net_Neg_0");
}

TEST_CASE("what is known of nodes goes with them where they swap their names", "[qonnx]") {
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
