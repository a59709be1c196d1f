#pragma once
#include <string>
#include <vector>

#include <graft/graph/onnx.hpp>

namespace graft::inline v1 {

/// The serialized texts or messages in a field, by name and number. The installed protos may lack the field.
std::vector<std::string> newer_field(const google::protobuf::Message& message, const char* name, int number);

/// The overload of the local function that the node calls or the proto defines. Exists since IR 10; "" before.
std::string overload_of(const onnx::NodeProto& call);
std::string overload_of(const onnx::FunctionProto& function);

}  // namespace graft::inline v1
