#pragma once
#include <graft/quantize/target/node_reasons.hpp>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/detail/rename_key.hpp>

namespace graft::inline v1 {

GRAFT_INLINE bool NodeReasons::add(Node& node, std::string_view reason) {
  if (node.name().empty()) {
    const std::string name = display_name(node);
    node.graph().rename(node, reasons.contains(name) ? node.graph().fresh_name(name) : name);
  }
  return reasons.try_emplace(std::string(node.name()), reason).second;
}

GRAFT_INLINE void NodeReasons::rename_node(std::string_view from, std::string_view to) {
  detail::rename_key(reasons, from, to);
}

GRAFT_INLINE void NodeReasons::copy_node(std::string_view from, std::string_view to) {
  const auto place = reasons.find(from);
  if (place != reasons.end()) reasons.try_emplace(std::string(to), place->second);
}

}  // namespace graft::inline v1
