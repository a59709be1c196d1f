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

}  // namespace graft::inline v1
