#pragma once
#include <graft/config.hpp>
#include <graft/graph/detail/describe.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::string describe(const onnx::NodeProto& node) {
  if (!node.name().empty()) return node.name();
  return node.op_type() + (node.output_size() > 0 ? "(" + node.output(0) + ")" : "");
}

}  // namespace graft::inline v1::detail
