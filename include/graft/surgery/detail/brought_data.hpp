#pragma once
#include <string>

#include <graft/graph/external_data.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/graph/tensor_protos.hpp>

namespace graft::inline v1::detail {

/// For a model to be put into another, whose external data is `there`: reads the tensors that the other would not find,
/// for they are in another folder, in a scratch file or in one that is removed, and those that only one of the two may
/// look for outside its folder. Throws Error if one cannot be read, or is external without a location.
inline void bring_data(onnx::ModelProto& model, const ExternalData& data, const ExternalData& there) {
  const bool is_elsewhere = data.folder() != there.folder() || data.allows_outside() != there.allows_outside();
  const auto bring = [&](onnx::TensorProto& tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
    if (!is_elsewhere && !ExternalData::is_stowed(tensor) && !data.is_held(external_location(tensor).location)) return;
    const std::string name = tensor.name();
    write_tensor(read_tensor(onnx::TensorProto(tensor), &data), tensor);
    tensor.set_name(name);
  };
  for_each_tensor(*model.mutable_graph(), bring);
  for (onnx::FunctionProto& function : *model.mutable_functions()) for_each_tensor(*function.mutable_node(), bring);
}

}  // namespace graft::inline v1::detail
