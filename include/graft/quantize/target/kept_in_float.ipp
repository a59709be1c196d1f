#pragma once
#include <graft/quantize/target/kept_in_float.hpp>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/quantize/detail/rename_key.hpp>

namespace graft::inline v1 {

GRAFT_INLINE bool KeptInFloat::add(Node& node, std::string_view reason) {
  if (node.name().empty()) {
    const std::string name = display_name(node);
    node.graph().rename(node, reasons.contains(name) ? node.graph().fresh_name(name) : name);
  }
  return reasons.try_emplace(std::string(node.name()), reason).second;
}

GRAFT_INLINE void KeptInFloat::rename_node(std::string_view from, std::string_view to) {
  detail::rename_key(reasons, from, to);
}

GRAFT_INLINE void KeptInFloat::copy_node(std::string_view from, std::string_view to) {
  const auto place = reasons.find(from);
  if (place != reasons.end()) reasons.try_emplace(std::string(to), place->second);
}

GRAFT_INLINE KeptInFloat KeptInFloat::of(const Facts& facts) {
  const KeptInFloat* const kept = facts.find<KeptInFloat>();
  return kept != nullptr ? *kept : KeptInFloat();
}

GRAFT_INLINE Verdict quantizable(const Node& node, const Target& target, const KeptInFloat& kept) {
  return kept.holds(node) ? Verdict::no(kept.reason(node)) : quantizable(node, target);
}

}  // namespace graft::inline v1
