#include "models.hpp"

#include <onnx/onnx_pb.h>

namespace {

namespace onnx = ::ONNX_NAMESPACE;

/// A text in the field number 1000, as protobuf encodes it.
const std::string newer_field = std::string("\xc2\x3e\x05", 3) + "newer";

template <class Message>
void add_newer_field(Message& message) {
  message.ParseFromString(message.SerializeAsString() + newer_field);
}

void add_tensor(onnx::ValueInfoProto& value, const char* name) {
  value.set_name(name);
  onnx::TypeProto::Tensor& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx::TensorProto::FLOAT);
  tensor.mutable_shape()->add_dim()->set_dim_value(2);
}

}  // namespace

std::string make_model() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("graph");
  add_tensor(*graph.add_input(), "x");
  add_tensor(*graph.add_output(), "y");
  const char* const op_types[] = {"Identity", "Relu", "Relu"};
  const char* const names[] = {"x", "a", "b", "y"};
  for (int i = 0; i < 3; ++i) {
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(op_types[i]);
    node.add_input(names[i]);
    node.add_output(names[i + 1]);
    add_newer_field(node);
  }
  add_newer_field(graph);
  add_newer_field(model);
  return model.SerializeAsString();
}

std::string op_types(const std::string& bytes) {
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes)) return "no model";
  std::string joined;
  for (const onnx::NodeProto& node : model.graph().node()) joined += (joined.empty() ? "" : " ") + node.op_type();
  return joined;
}
