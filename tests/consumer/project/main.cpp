#include <graft/graph.hpp>

// Loads, edits and writes a model through the library as it is installed.
int main() {
  onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(17);
  onnx::GraphProto& graph = *proto.mutable_graph();
  graph.add_input()->set_name("x");
  graph.add_output()->set_name("y");
  onnx::NodeProto& relu = *graph.add_node();
  relu.set_op_type("Relu");
  relu.add_input("x");
  relu.add_output("y");

  graft::Model model(proto);
  return model.graph().nodes().size() == 1 && model.serialize() == proto.SerializeAsString() ? 0 : 1;
}
