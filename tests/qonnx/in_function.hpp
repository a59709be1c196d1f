#pragma once
#include <string>
#include <utility>

#include <graft/graph/model.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/testing/text.hpp>

/// A model that calls a function own::F, which does what the graph of that text does; initializers become Constants.
inline graft::Model in_function(const std::string& text) {
  onnx::ModelProto proto = graft::graph(text).commit();
  onnx::GraphProto& main = *proto.mutable_graph();
  onnx::FunctionProto& function = *proto.add_functions();
  function.set_domain("own");
  function.set_name("F");
  *function.mutable_opset_import() = proto.opset_import();
  onnx::NodeProto call;
  call.set_domain("own");
  call.set_op_type("F");
  for (const auto& input : main.input()) {
    function.add_input(input.name());
    call.add_input(input.name());
  }
  for (const auto& output : main.output()) {
    function.add_output(output.name());
    call.add_output(output.name());
  }
  for (auto& tensor : *main.mutable_initializer()) {
    onnx::NodeProto& constant = *function.add_node();
    constant.set_op_type("Constant");
    constant.add_output(tensor.name());
    auto& value = *constant.add_attribute();
    value.set_name("value");
    value.set_type(onnx::AttributeProto::TENSOR);
    value.mutable_t()->Swap(&tensor);
  }
  for (const auto& node : main.node()) *function.add_node() = node;
  main.clear_initializer();
  main.clear_node();
  *main.add_node() = call;
  auto& import = *proto.add_opset_import();
  import.set_domain("own");
  import.set_version(1);
  return graft::Model(std::move(proto));
}
