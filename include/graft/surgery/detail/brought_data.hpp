#pragma once
#include <string>

#include <graft/graph/external_data.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/surgery/detail/proto_nodes.hpp>

namespace graft::inline v1::detail {

/// For a model to be put into another, whose external data is `there`: reads the tensors that the other would not find,
/// for they are in another folder, in a scratch file or in one that is removed, and those that only one of the two may
/// look for outside its folder. Throws Error if one cannot be read.
inline void bring_data(onnx::ModelProto& model, const ExternalData& data, const ExternalData& there) {
  const bool is_elsewhere = data.folder() != there.folder() || data.allows_outside() != there.allows_outside();
  const auto bring = [&](onnx::TensorProto& tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
    if (!is_elsewhere && !ExternalData::is_stowed(tensor) && !data.is_held(external_location(tensor).location)) return;
    const std::string name = tensor.name();
    write_tensor(read_tensor(onnx::TensorProto(tensor), &data), tensor);
    tensor.set_name(name);
  };
  const auto bring_sparse = [&](onnx::SparseTensorProto& sparse) {
    if (sparse.has_values()) bring(*sparse.mutable_values());
    if (sparse.has_indices()) bring(*sparse.mutable_indices());
  };
  const auto bring_initializers = [&](onnx::GraphProto& graph) {
    for (onnx::TensorProto& tensor : *graph.mutable_initializer()) bring(tensor);
    for (onnx::SparseTensorProto& sparse : *graph.mutable_sparse_initializer()) bring_sparse(sparse);
  };
  const auto bring_attributes = [&](onnx::NodeProto& node) {
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) bring(*attribute.mutable_t());
      for (onnx::TensorProto& tensor : *attribute.mutable_tensors()) bring(tensor);
      if (attribute.has_sparse_tensor()) bring_sparse(*attribute.mutable_sparse_tensor());
      for (onnx::SparseTensorProto& sparse : *attribute.mutable_sparse_tensors()) bring_sparse(sparse);
      if (attribute.has_g()) bring_initializers(*attribute.mutable_g());
      for (onnx::GraphProto& body : *attribute.mutable_graphs()) bring_initializers(body);
    }
  };
  bring_initializers(*model.mutable_graph());
  for_each_node(*model.mutable_graph()->mutable_node(), bring_attributes);
  for (onnx::FunctionProto& function : *model.mutable_functions())
    for_each_node(*function.mutable_node(), bring_attributes);
}

}  // namespace graft::inline v1::detail
