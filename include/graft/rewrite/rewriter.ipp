#pragma once
#include <graft/config.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void Rewriter::at(Node& node) {
  graph_ = &node.graph();
  place_ = &node;
}

GRAFT_INLINE void Rewriter::at_end(Graph& graph) {
  graph_ = &graph;
  place_ = nullptr;
}

GRAFT_INLINE Verdict Rewriter::decline(Reason reason) {
  rollback();
  return Verdict::no(reason);
}

}  // namespace graft::inline v1
