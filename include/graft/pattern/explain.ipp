#pragma once
#include <graft/config.hpp>
#include <graft/pattern/explain.hpp>

namespace graft::inline v1 {

namespace detail {

GRAFT_INLINE std::string describe(const Node& node) {
  const std::string op(node.op_type());
  if (!node.name().empty()) return op + " '" + std::string(node.name()) + "'";
  return node.output_count() == 0 ? op : op + " %" + std::string(node.output(0)->name());
}

}  // namespace detail

}  // namespace graft::inline v1
