#pragma once
// The tensors of protos, where the view of a model does not show them.
#include <vector>

#include <graft/graph/onnx.hpp>

namespace graft::inline v1::detail {

/// Calls f with the TensorProtos of a message: here with the values and the indices.
template <class F>
void for_each_tensor(onnx::SparseTensorProto& tensor, F&& f) {
  if (tensor.has_values()) f(*tensor.mutable_values());
  if (tensor.has_indices()) f(*tensor.mutable_indices());
}

/// Those of the graphs in the attribute are left out.
template <class F>
void for_each_tensor(onnx::AttributeProto& attribute, F&& f) {
  if (attribute.has_t()) f(*attribute.mutable_t());
  for (onnx::TensorProto& tensor : *attribute.mutable_tensors()) f(tensor);
  if (attribute.has_sparse_tensor()) for_each_tensor(*attribute.mutable_sparse_tensor(), f);
  for (onnx::SparseTensorProto& tensor : *attribute.mutable_sparse_tensors()) for_each_tensor(tensor, f);
}

/// Those of the nodes are left out.
template <class F>
void for_each_initializer(onnx::GraphProto& graph, F&& f) {
  for (onnx::TensorProto& tensor : *graph.mutable_initializer()) f(tensor);
  for (onnx::SparseTensorProto& tensor : *graph.mutable_sparse_initializer()) for_each_tensor(tensor, f);
}

/// Those of the graphs in the nodes included.
template <class F>
void for_each_tensor(google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes, F&& f) {
  std::vector<google::protobuf::RepeatedPtrField<onnx::NodeProto>*> open{&nodes};
  const auto enter = [&](onnx::GraphProto& graph) {
    for_each_initializer(graph, f);
    open.push_back(graph.mutable_node());
  };
  while (!open.empty()) {
    auto& scope = *open.back();
    open.pop_back();
    for (onnx::NodeProto& node : scope) {
      for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
        for_each_tensor(attribute, f);
        if (attribute.has_g()) enter(*attribute.mutable_g());
        for (onnx::GraphProto& body : *attribute.mutable_graphs()) enter(body);
      }
    }
  }
}

/// Those of the graphs in its nodes included.
template <class F>
void for_each_tensor(onnx::GraphProto& graph, F&& f) {
  for_each_initializer(graph, f);
  for_each_tensor(*graph.mutable_node(), f);
}

}  // namespace graft::inline v1::detail
