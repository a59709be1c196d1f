#pragma once
#include <graft/rewrite/need.hpp>

#include <graft/config.hpp>

namespace graft::inline v1 {

namespace detail {

struct OpsetVersion;

}  // namespace detail

GRAFT_INLINE Need needs_opset(int version) {
  const auto is_met = [version](const Graph& graph, const Context&) { return graph.opset() >= version; };
  return {TypeKey::of<detail::OpsetVersion>(), "opset", version, is_met, "raise_opset", {}};
}

GRAFT_INLINE Provision provides_opset(int version) { return {TypeKey::of<detail::OpsetVersion>(), version}; }

}  // namespace graft::inline v1
