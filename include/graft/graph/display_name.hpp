#pragma once
#include <string>

#include <graft/graph/onnx.hpp>

namespace graft::inline v1 {

/// The name of a node in messages and reports: its own name, else its operator and first output, as in "Conv(y)".
/// node.hpp has the same function for a Node.
std::string display_name(const onnx::NodeProto& node);

}  // namespace graft::inline v1
