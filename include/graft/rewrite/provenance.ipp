#pragma once
#include <graft/rewrite/provenance.hpp>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/rewrite/detail/metadata.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string rules_of(const Node& node) { return detail::metadata(node.proto(), "graft.rules"); }

GRAFT_INLINE std::string origins_of(const Node& node) { return detail::metadata(node.proto(), "graft.from"); }

namespace detail {

GRAFT_INLINE void write_provenance(Node& node, std::string_view rule, std::string_view origins) {
  std::string rules = rules_of(node);
  if (!rules.empty()) rules += ", ";
  onnx::NodeProto& payload = node.graph().edit(node);
  set_metadata(payload, "graft.rules", rules += rule);
  set_metadata(payload, "graft.from", origins);
}

}  // namespace detail

}  // namespace graft::inline v1
