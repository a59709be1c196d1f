#pragma once
#include <algorithm>
#include <iterator>

#include <graft/graph/node.hpp>

namespace graft::inline v1::qonnx::detail {

/// Whether a node is of the main domain and of one of these types.
inline bool is_any(const Node& node, const auto& op_types) {
  return node.domain().empty() &&
         std::find(std::begin(op_types), std::end(op_types), node.op_type()) != std::end(op_types);
}

}  // namespace graft::inline v1::qonnx::detail
