#pragma once
#include <set>
#include <string>
#include <utility>

#include <graft/graph.hpp>

/// A model whose values all have an annotation.
inline graft::Model annotated(graft::Model model) {
  onnx::ModelProto proto = model.commit();
  onnx::GraphProto& graph = *proto.mutable_graph();
  const auto annotate = [&](const std::string& name) {
    onnx::TensorAnnotation& annotation = *graph.add_quantization_annotation();
    annotation.set_tensor_name(name);
    onnx::StringStringEntryProto& entry = *annotation.add_quant_parameter_tensor_names();
    entry.set_key("finn_datatype");
    entry.set_value("FLOAT32");
  };
  for (const onnx::ValueInfoProto& input : graph.input()) annotate(input.name());
  for (const onnx::TensorProto& tensor : graph.initializer()) annotate(tensor.name());
  for (const onnx::NodeProto& node : graph.node())
    for (const std::string& output : node.output()) annotate(output);
  return graft::Model(std::move(proto));
}

/// The first annotation that names nothing, or what another one names; "" if there is none.
inline std::string odd_annotation(graft::Model& model) {
  std::set<std::string> seen;
  for (const onnx::TensorAnnotation& annotation : model.commit().graph().quantization_annotation()) {
    const bool is_first = seen.insert(annotation.tensor_name()).second;
    if (!is_first || model.graph().find(annotation.tensor_name()) == nullptr) return annotation.tensor_name();
  }
  return seen.empty() ? "there are none" : "";
}
