#pragma once
#include <graft/graph/node.hpp>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Graph& Node::graph() const { return *graph_; }

GRAFT_INLINE InputRange::Iterator& InputRange::Iterator::operator++() {
  ++use_;
  return *this;
}

GRAFT_INLINE InputRange Node::inputs() const { return {uses_, input_count_}; }

GRAFT_INLINE std::string display_name(const Node& node) {
  if (!node.name().empty()) return std::string(node.name());
  std::string text(node.op_type());
  if (node.output_count() > 0 && !node.output(0)->name().empty())
    text += "(" + std::string(node.output(0)->name()) + ")";
  return text;
}

}  // namespace graft::inline v1
