#pragma once
#include <string>
#include <vector>

#include <graft/graph/onnx.hpp>

namespace graft::inline v1 {

/// A field of texts or messages, serialized, by its name and number, which the installed protos may not know yet.
std::vector<std::string> newer_field(const google::protobuf::Message& message, const char* name, int number);

/// Which of the local functions of one domain and name it is, or calls. Since IR 10; empty before.
std::string overload_of(const onnx::NodeProto& call);
std::string overload_of(const onnx::FunctionProto& function);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/newer_field.ipp>
#endif
