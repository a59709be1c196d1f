#pragma once
#include <functional>
#include <set>
#include <string>

#include <graft/graph/graph.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/quantizable.hpp>
#include <graft/quantize/target.hpp>
#include <graft/rewrite/facts.hpp>

namespace graft::inline v1 {

/// The names of nodes that are not to be quantized: what keep_in_float() tells the passes behind it.
struct KeptInFloat {
  std::set<std::string, std::less<>> names{};

  bool holds(const Node& node) const { return !node.name().empty() && names.contains(node.name()); }

  /// Gives the node a name if it has none. Whether it was not there before.
  bool add(Node& node) {
    if (node.name().empty()) node.graph().rename(node, node.graph().fresh_name(node.op_type()));
    return names.insert(std::string(node.name())).second;
  }

  /// Those of the facts; none if there are none.
  static KeptInFloat of(const Facts& facts) {
    const KeptInFloat* const kept = facts.find<KeptInFloat>();
    return kept != nullptr ? *kept : KeptInFloat();
  }
};

/// The same, unless the node is kept in float.
inline Verdict quantizable(const Node& node, const Target& target, const KeptInFloat& kept) {
  return kept.holds(node) ? Verdict::no("it is kept there") : quantizable(node, target);
}

}  // namespace graft::inline v1
