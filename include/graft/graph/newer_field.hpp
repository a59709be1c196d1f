#pragma once
#include <string>
#include <vector>

#include <graft/graph/onnx.hpp>

namespace graft::inline v1 {

// Fields that the installed protos may lack.

/// The overload of the local function that the node calls or the proto defines. Exists since IR 10; "" before.
std::string overload_of(const onnx::NodeProto& call);
std::string overload_of(const onnx::FunctionProto& function);

/// The attributes with a default of a local function. Exists since IR 9. Throws Error if one cannot be read.
std::vector<onnx::AttributeProto> attribute_protos_of(const onnx::FunctionProto& function);

}  // namespace graft::inline v1
