#include <cstdio>
#include <string>

#include "user.hpp"

namespace {

onnx::ModelProto three_relus() {
  onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(13);
  onnx::GraphProto& graph = *proto.mutable_graph();
  graph.set_name("three");
  graph.add_input()->set_name("a");
  graph.add_output()->set_name("d");
  const char* const names[] = {"a", "b", "c", "d"};
  for (int i = 0; i < 3; ++i) {
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type("Relu");
    node.add_input(names[i]);
    node.add_output(names[i + 1]);
  }
  return proto;
}

}  // namespace

// One model passes through both versions, each of which keeps to its own functions and layouts.
int main() {
  onnx::ModelProto proto = three_relus();
  onnx::ModelProto other = three_relus();
  const std::string first = use_first(proto), second = use_second(other);
  const std::string again = use_second(proto);
  std::printf("%s\n%s\n", first.c_str(), second.c_str());
  const bool are_apart = first == "has no input 9" && second == "lacks input 9" && again == second;
  return are_apart && proto.graph().node_size() == 1 && other.graph().node_size() == 1 ? 0 : 1;
}
