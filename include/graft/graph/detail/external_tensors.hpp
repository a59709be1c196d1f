#pragma once
// The tensors of protos whose data is external, where the view of a model does not show them.
#include <algorithm>
#include <vector>

#include <graft/graph/onnx.hpp>

namespace graft::inline v1::detail {

class ExternalTensors {
 public:
  explicit ExternalTensors(std::vector<onnx::TensorProto*>& found) : found_(found) {}

  void add(onnx::TensorProto& tensor) {
    const auto is_location = [](const onnx::StringStringEntryProto& entry) {
      return entry.key() == "location" && !entry.value().empty();
    };
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL &&
        std::ranges::any_of(tensor.external_data(), is_location))
      found_.push_back(&tensor);
  }
  void add(onnx::SparseTensorProto& tensor) {
    if (tensor.has_values()) add(*tensor.mutable_values());
    if (tensor.has_indices()) add(*tensor.mutable_indices());
  }
  /// But for the graphs in it.
  void add(onnx::AttributeProto& attribute) {
    if (attribute.has_t()) add(*attribute.mutable_t());
    for (onnx::TensorProto& tensor : *attribute.mutable_tensors()) add(tensor);
    if (attribute.has_sparse_tensor()) add(*attribute.mutable_sparse_tensor());
    for (onnx::SparseTensorProto& tensor : *attribute.mutable_sparse_tensors()) add(tensor);
  }
  /// And the graphs in it.
  void add(onnx::GraphProto& graph) {
    std::vector<onnx::GraphProto*> open{&graph};
    while (!open.empty()) {
      onnx::GraphProto& scope = *open.back();
      open.pop_back();
      for (onnx::TensorProto& tensor : *scope.mutable_initializer()) add(tensor);
      for (onnx::SparseTensorProto& tensor : *scope.mutable_sparse_initializer()) add(tensor);
      for (onnx::NodeProto& node : *scope.mutable_node()) {
        for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
          add(attribute);
          if (attribute.has_g()) open.push_back(attribute.mutable_g());
          for (onnx::GraphProto& body : *attribute.mutable_graphs()) open.push_back(&body);
        }
      }
    }
  }

 private:
  std::vector<onnx::TensorProto*>& found_;
};

}  // namespace graft::inline v1::detail
