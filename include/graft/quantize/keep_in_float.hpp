#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/kept_in_float.hpp>
#include <graft/quantize/name_pattern.hpp>
#include <graft/quantize/quantizable.hpp>
#include <graft/quantize/target.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

namespace detail {

inline void keep(Node& node, std::string_view reason, Facts& facts, Report& report) {
  KeptInFloat* const before = facts.find<KeptInFloat>();
  KeptInFloat& kept = before != nullptr ? *before : facts.provide(KeptInFloat());
  report.changes += kept.add(node, reason);
}

inline constexpr std::string_view excluded_by_name = "it is excluded by name";

inline std::string note_of_unmatched(const NamePattern& pattern, const Facts& facts) {
  const KeptInFloat* const kept = facts.find<KeptInFloat>();
  const bool was_there = kept != nullptr && std::ranges::any_of(kept->reasons, [&](const auto& reason_of_name) {
    return reason_of_name.second == excluded_by_name && pattern.matches(reason_of_name.first);
  });
  return "no node is called '" + pattern.text() + (was_there ? "' any more: rewriting took it" : "'");
}

}  // namespace detail

/// The pass after which inject_qdq(), correct_biases() and quantize_weights() leave alone the nodes of the main graph
/// that one of the patterns matches, as if the target had no integer kernel for them. A node without a name is called
/// by its operator and first output, as in "Conv(y)"; of nodes with one name each gets one of its own. Its notes are
/// the patterns that match no node, or none any more since it ran before. Where the target quantizes float constants
/// itself, and the node reads a DequantizeLinear, inject_qdq() stores its bias in 31 bits, which prevents that.
inline Pass exclude_nodes(std::vector<NamePattern> patterns) {
  const auto run = [patterns = std::move(patterns)](Graph& graph, Context& context) {
    Report report;
    std::unordered_map<std::string, const Node*> holders;
    for (const NamePattern& pattern : patterns) {
      bool matched = false;
      for (Node& node : graph.nodes()) {
        const std::string name = detail::describe(node.proto());
        if (!pattern.matches(name)) continue;
        matched = true;
        if (holders.try_emplace(name, &node).first->second != &node) {
          graph.rename(node, graph.fresh_name(name));
          holders.emplace(node.name(), &node);
        }
        detail::keep(node, detail::excluded_by_name, context.facts, report);
      }
      if (!matched) report.notes.push_back(detail::note_of_unmatched(pattern, context.facts));
    }
    return report;
  };
  return pass("exclude_nodes", run).makes({"kept_in_float"});
}

/// The same for the first and the last Conv, Gemm or MatMul, or what else with a weight the target computes in
/// integers, on which accuracy hangs most in many nets. What has no name gets one.
inline Pass keep_ends_in_float(const Target& target) {
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
  return pass("keep_ends_in_float", run).makes({"kept_in_float"});
}

}  // namespace graft::inline v1
