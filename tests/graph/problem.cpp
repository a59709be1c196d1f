#include <graft/graph/problem.hpp>

#include <catch2/catch.hpp>

#include <graft/graph/model.hpp>

using namespace graft;

TEST_CASE("a problem says where it is") {
  onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(17);
  proto.mutable_graph()->set_name("main");
  proto.mutable_graph()->add_input()->set_name("x");
  for (const char* const output : {"y", "z"}) {
    onnx::NodeProto& node = *proto.mutable_graph()->add_node();
    node.set_op_type("Relu");
    node.add_input("x");
    node.add_output(output);
  }
  proto.mutable_graph()->mutable_node(0)->set_name("first");
  const Model model(std::move(proto));
  const Graph& graph = model.graph();
  CHECK(to_string(Problem{&graph, graph.first_node(), "is wrong"}) == "node 'first': is wrong");
  CHECK(to_string(Problem{&graph, graph.last_node(), "is wrong"}) == "node 'Relu(z)': is wrong");
  CHECK(to_string(Problem{&graph, nullptr, "is wrong"}) == "graph 'main': is wrong");
}
