#pragma once
#include <graft/graph/display_name.hpp>

#include <graft/config.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string display_name(const onnx::NodeProto& node) {
  if (!node.name().empty()) return node.name();
  return node.op_type() + (node.output_size() > 0 ? "(" + node.output(0) + ")" : "");
}

}  // namespace graft::inline v1
