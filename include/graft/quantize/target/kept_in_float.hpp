#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/target/quantizable.hpp>
#include <graft/quantize/target/target.hpp>
#include <graft/rewrite/facts.hpp>

namespace graft::inline v1 {

/// Nodes that are not quantized. exclude_nodes() provides them, the passes that quantize read them.
struct KeptInFloat {
  static constexpr std::string_view fact_name = "kept_in_float";
  static constexpr bool is_decision = true;

  /// Why, by their names; of static storage.
  std::map<std::string, std::string_view, std::less<>> reasons{};

  bool holds(const Node& node) const { return !node.name().empty() && reasons.contains(node.name()); }
  /// Of a node that it holds.
  std::string_view reason(const Node& node) const { return reasons.find(node.name())->second; }

  /// Gives the node a name if it has none, by its operator and first output. Whether it was not there before.
  bool add(Node& node, std::string_view reason);
  void rename_node(std::string_view from, std::string_view to);
  void copy_node(std::string_view from, std::string_view to);

  /// Those of the facts; none if there are none.
  static KeptInFloat of(const Facts& facts);
};

/// The same, unless the node is kept in float.
Verdict quantizable(const Node& node, const Target& target, const KeptInFloat& kept);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/target/kept_in_float.ipp>
#endif
