#pragma once
#include <graft/quantize/target/exclude_nodes.hpp>

#include <ranges>
#include <string>
#include <unordered_map>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/kernel/quantizable.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/unmatched_name.hpp>

namespace graft::inline v1 {

namespace detail {

GRAFT_INLINE void keep(Node& node, std::string_view reason, Facts& facts, Report& report) {
  report.changes += facts.edit_or_provide<KeptInFloat>().add(node, reason);
}

inline constexpr std::string_view excluded_by_name = "it is excluded by name";

inline std::string note_of_unmatched(const NamePattern& pattern, const Graph& graph, const Facts& facts) {
  const KeptInFloat* const kept = facts.find<KeptInFloat>();
  const bool was_there = kept != nullptr && std::ranges::any_of(kept->reasons, [&](const auto& reason_of_name) {
    return reason_of_name.second == excluded_by_name && pattern.matches(reason_of_name.first);
  });
  return was_there ? "no node is called '" + pattern.text() + "' any more: rewriting took it"
                   : no_node_called(pattern, graph);
}

}  // namespace detail

GRAFT_INLINE Pass exclude_nodes(std::vector<NamePattern> patterns) {
  const auto run = [patterns = std::move(patterns)](Graph& graph, Context& context) {
    Report report;
    std::unordered_map<std::string, const Node*> holders;
    for (const NamePattern& pattern : patterns) {
      bool matched = false;
      for (Node& node : graph.nodes()) {
        const std::string name = display_name(node);
        if (!pattern.matches(name)) continue;
        matched = true;
        if (holders.try_emplace(name, &node).first->second != &node) {
          graph.rename(node, graph.fresh_name(name));
          holders.emplace(node.name(), &node);
        }
        detail::keep(node, detail::excluded_by_name, context.facts, report);
      }
      if (!matched) report.notes.push_back(detail::note_of_unmatched(pattern, graph, context.facts));
    }
    return report;
  };
  return pass("exclude_nodes", run).provides<KeptInFloat>().preserves_all();
}

GRAFT_INLINE Pass keep_ends_in_float(const Target& target) {
  const auto run = [target](Graph& graph, Context& context) {
    Report report;
    Node *first = nullptr, *last = nullptr;
    for (Node& node : graph.nodes()) {
      const IntegerKernel* const kernel = integer_kernel(node, target);
      if (kernel == nullptr || kernel->form != KernelForm::weighted || !quantizable(node, target)) continue;
      if (first == nullptr) first = &node;
      last = &node;
    }
    for (Node* const node : {first, last})
      if (node != nullptr) detail::keep(*node, "it is the first or the last", context.facts, report);
    return report;
  };
  return pass("keep_ends_in_float", run).provides<KeptInFloat>().preserves_all();
}

}  // namespace graft::inline v1
