#include <graft/surgery/unique_node_names.hpp>

#include <set>
#include <string>

#include <catch2/catch.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("every node gets a name of its own, in bodies too") {
  onnx::ModelProto proto = graph(
                               "x: f32[2]; c: bool[]; a = Neg(x); b = Neg(a); y = If(c) {then_branch={ t = Abs(b) }, "
                               "else_branch={ u = Relu(b) }}")
                               .proto();
  proto.mutable_graph()->mutable_node(0)->set_name("twice");
  proto.mutable_graph()->mutable_node(1)->set_name("twice");
  proto.mutable_graph()->mutable_node(2)->clear_name();
  Model model(proto);
  unique_node_names().run(model);
  std::set<std::string> names;
  for (const Graph* const scope : model.scopes())
    for (const Node& node : scope->nodes()) CHECK(names.insert(std::string(node.name())).second);
  CHECK(names.count("twice") == 1);
  CHECK(names.count("") == 0);
  CHECK(names.count("If(y)") == 1);
  CHECK(unique_node_names().run(model).changes == 0);
}

TEST_CASE("what is known of nodes of one name is known of each, whatever it is called then") {
  onnx::ModelProto proto = graph("x: f32[2]; a = Neg(x); y = Neg(a)").proto();
  for (onnx::NodeProto& node : *proto.mutable_graph()->mutable_node()) node.set_name("twice");
  Model model(proto);
  Context context;
  context.facts.provide(KeptInFloat{{{{"twice", "why"}}}});
  unique_node_names().run(model, context);
  for (const Node& node : model.graph().nodes()) CHECK(context.facts.find<KeptInFloat>()->holds(node));
}
