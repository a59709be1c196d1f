#pragma once
#include <graft/config.hpp>
#include <graft/rewrite/need.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Need needs_opset(int version) {
  const auto is_met = [version](const Graph& graph, const Context&) { return graph.opset() >= version; };
  return {"opset", version, is_met, "raise_opset", {}};
}

}  // namespace graft::inline v1
