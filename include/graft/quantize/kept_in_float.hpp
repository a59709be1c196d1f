#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <graft/graph/graph.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/quantizable.hpp>
#include <graft/quantize/target.hpp>
#include <graft/rewrite/facts.hpp>

namespace graft::inline v1 {

/// Nodes that are not to be quantized: what exclude_nodes() tells the passes behind it.
struct KeptInFloat {
  /// Why, by their names; of static storage.
  std::map<std::string, std::string_view, std::less<>> reasons{};

  bool holds(const Node& node) const { return !node.name().empty() && reasons.contains(node.name()); }

  /// Gives the node a name if it has none, by its operator and first output. Whether it was not there before.
  bool add(Node& node, std::string_view reason) {
    if (node.name().empty()) {
      const std::string name = detail::describe(node.proto());
      node.graph().rename(node, reasons.contains(name) ? node.graph().fresh_name(name) : name);
    }
    return reasons.try_emplace(std::string(node.name()), reason).second;
  }

  /// Those of the facts; none if there are none.
  static KeptInFloat of(const Facts& facts) {
    const KeptInFloat* const kept = facts.find<KeptInFloat>();
    return kept != nullptr ? *kept : KeptInFloat();
  }
};

/// The same, unless the node is kept in float.
inline Verdict quantizable(const Node& node, const Target& target, const KeptInFloat& kept) {
  const auto place = node.name().empty() ? kept.reasons.end() : kept.reasons.find(node.name());
  return place != kept.reasons.end() ? Verdict::no(place->second) : quantizable(node, target);
}

}  // namespace graft::inline v1
