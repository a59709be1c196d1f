#pragma once
#include <map>
#include <string>
#include <string_view>

#include <graft/graph/node.hpp>

namespace graft::inline v1 {

/// What is decided of nodes by their names, and why.
struct NodeReasons {
  /// By the names of the nodes; of static storage.
  std::map<std::string, std::string_view, std::less<>> reasons{};

  bool holds(const Node& node) const { return !node.name().empty() && reasons.contains(node.name()); }
  /// Of a node that it holds.
  std::string_view reason(const Node& node) const { return reasons.find(node.name())->second; }

  /// Gives the node a name if it has none, by its operator and first output. Whether it was not there before.
  bool add(Node& node, std::string_view reason);
  void rename_node(std::string_view from, std::string_view to);
  void copy_node(std::string_view from, std::string_view to);
};

}  // namespace graft::inline v1
