#pragma once
#include <memory>
#include <vector>

#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

class ExternalData;

/// The tensor of a proto: from raw_data, from the typed field that ONNX prescribes, or from an external file on first
/// access. The tensor refers to the proto's memory, unless that is misaligned or has wider elements. So the proto must
/// not change during the lifetime of the tensor and its copies, which hold keep_alive, if given. Throws
/// UnreadableTensor with the tensor as its field for unknown dtypes, strings, and negative or overflowing dims. It also
/// throws for data of the wrong length, segments, and external data that `where` lacks.
Tensor read_tensor(const onnx::TensorProto& proto, const ExternalData* where = nullptr,
                   std::shared_ptr<const void> keep_alive = {});

/// Stores the tensor as the proto's raw_data. Moves the bytes if no other tensor shares them. Name, doc string and
/// unknown fields of the proto stay. Throws Error for an undefined tensor.
void write_tensor(Tensor&& tensor, onnx::TensorProto& proto);

// Loops over the tensors in protos, for parts of a model that its view does not show.

/// Calls f(onnx::TensorProto&) for the values and the indices.
template <class F>
void for_each_tensor(onnx::SparseTensorProto& tensor, F&& f) {
  if (tensor.has_values()) f(*tensor.mutable_values());
  if (tensor.has_indices()) f(*tensor.mutable_indices());
}

/// Calls f(onnx::TensorProto&) for each tensor of the attribute, except those in its graphs.
template <class F>
void for_each_tensor(onnx::AttributeProto& attribute, F&& f) {
  if (attribute.has_t()) f(*attribute.mutable_t());
  for (onnx::TensorProto& tensor : *attribute.mutable_tensors()) f(tensor);
  if (attribute.has_sparse_tensor()) for_each_tensor(*attribute.mutable_sparse_tensor(), f);
  for (onnx::SparseTensorProto& tensor : *attribute.mutable_sparse_tensors()) for_each_tensor(tensor, f);
}

namespace detail {

template <class F>
void for_each_initializer(onnx::GraphProto& graph, F&& f) {
  for (onnx::TensorProto& tensor : *graph.mutable_initializer()) f(tensor);
  for (onnx::SparseTensorProto& tensor : *graph.mutable_sparse_initializer()) for_each_tensor(tensor, f);
}

}  // namespace detail

/// Calls f(onnx::TensorProto&) for each tensor in the nodes' attributes and in their graphs, at any depth.
template <class F>
void for_each_tensor(google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes, F&& f) {
  std::vector<google::protobuf::RepeatedPtrField<onnx::NodeProto>*> open{&nodes};  // a stack for deep nesting
  const auto enter = [&](onnx::GraphProto& body) {
    detail::for_each_initializer(body, f);
    open.push_back(body.mutable_node());
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

/// Calls f(onnx::TensorProto&) for each tensor of the graph and of its bodies: initializers, sparse initializers, and
/// attributes.
template <class F>
void for_each_tensor(onnx::GraphProto& graph, F&& f) {
  detail::for_each_initializer(graph, f);
  for_each_tensor(*graph.mutable_node(), f);
}

}  // namespace graft::inline v1
