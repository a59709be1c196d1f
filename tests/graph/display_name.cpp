#include <graft/graph/display_name.hpp>

#include <utility>

#include <catch2/catch.hpp>

#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>

using namespace graft;

TEST_CASE("a node is called by its name, else by its operator and first output") {
  onnx::NodeProto node;
  node.set_op_type("Conv");
  CHECK(display_name(node) == "Conv");
  node.add_output("y");
  node.add_output("z");
  CHECK(display_name(node) == "Conv(y)");
  node.set_name("first");
  CHECK(display_name(node) == "first");
}

TEST_CASE("a node of a graph is called as its payload is") {
  onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(17);
  proto.mutable_graph()->add_input()->set_name("x");
  onnx::NodeProto& node = *proto.mutable_graph()->add_node();
  node.set_op_type("Relu");
  node.add_input("x");
  node.add_output("y");
  const Model model(std::move(proto));
  CHECK(display_name(*model.graph().first_node()) == "Relu(y)");
}
