#pragma once
#include <span>
#include <string>
#include <string_view>

#include <graft/graph/model.hpp>
#include <graft/rewrite/detail/metadata.hpp>

namespace graft::inline v1 {

/// The rules that made a node, the last one last, joined by ", "; "" if its metadata_props do not tell.
template <class = void>
std::string rules_of(const Node& node) { return detail::metadata(node.proto(), "graft.rules"); }
/// The names of the nodes that the last of them replaced, joined by ", ".
template <class = void>
std::string origins_of(const Node& node) { return detail::metadata(node.proto(), "graft.from"); }

namespace detail {

/// Writes down which rule made a node, and of what. A node that is built again keeps what was written of it before.
template <class = void>
void write_provenance(Node& node, std::string_view rule, std::string_view origins) {
  std::string rules = rules_of(node);
  if (!rules.empty()) rules += ", ";
  onnx::NodeProto& payload = node.graph().edit(node);
  set_metadata(payload, "graft.rules", rules += rule);
  set_metadata(payload, "graft.from", origins);
}

}  // namespace detail
}  // namespace graft::inline v1
