#pragma once
#include <graft/quantize/kernel/outcome.hpp>

#include <array>
#include <cstddef>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string_view to_string(Severity severity) {
  constexpr std::array<std::string_view, 4> names{"none", "info", "warning", "error"};
  return names[static_cast<std::size_t>(severity)];
}

GRAFT_INLINE std::string_view to_string(OperatorForm form) {
  constexpr std::array<std::string_view, 7> names{"float",       "integers",
                                                  "dynamic",     "weight-only",
                                                  "refused",     "within another kernel",
                                                  "left to another backend"};
  return names[static_cast<std::size_t>(form)];
}

GRAFT_INLINE std::string scope_name(const Graph& graph) {
  if (graph.owner() == nullptr) return graph.is_function() ? std::string(graph.name()) : std::string();
  const std::string around = scope_name(*graph.parent());
  return (around.empty() ? "" : around + "/") + display_name(*graph.owner()) + "." + std::string(graph.name());
}

GRAFT_INLINE OperatorOutcome OperatorOutcome::of(const Node& node, OperatorForm form) {
  OperatorOutcome outcome{.node = display_name(node), .op = std::string(node.op_type()), .form = form};
  outcome.scope = scope_name(node.graph());
  return outcome;
}

GRAFT_INLINE std::string to_string(const OperatorOutcome& outcome) {
  std::string text = outcome.node + " (" + outcome.op + "): ";
  if (outcome.form == OperatorForm::within) return text + "within '" + outcome.within + "'";
  text += outcome.fused() ? "fused" : "not fused";
  if (outcome.fused() && outcome.float_result) text += ", with a float result";
  if (outcome.severity == Severity::error) text += ", error";
  if (!outcome.text.empty()) text += ": " + outcome.text;
  if (!outcome.remedy.empty()) text += "; " + std::string(outcome.remedy);
  return text;
}

GRAFT_INLINE const OperatorOutcome* FloatOutcomes::find(const std::string& node, const std::string& scope) const {
  const auto place = by_node.find({node, scope});
  return place != by_node.end() ? &place->second : nullptr;
}

GRAFT_INLINE const OperatorOutcome* FloatOutcomes::find(const Node& node) const {
  return find(display_name(node), scope_name(node.graph()));
}

GRAFT_INLINE const OperatorOutcome& FloatOutcomes::add(const Node& node, std::string_view code, std::string text) {
  OperatorOutcome outcome = OperatorOutcome::of(node, OperatorForm::in_float);
  outcome.code = code;
  outcome.text = std::move(text);
  outcome.is_kept = true;
  Key key{outcome.node, outcome.scope};
  return by_node.insert_or_assign(std::move(key), std::move(outcome)).first->second;
}

GRAFT_INLINE void FloatOutcomes::rename_node(std::string_view from, std::string_view to) {
  const std::string name(from);
  for (auto place = by_node.lower_bound({name, ""}); place != by_node.end() && place->first.first == name;) {
    auto entry = by_node.extract(place++);
    entry.key().first = entry.mapped().node = std::string(to);
    by_node.erase(entry.key());
    by_node.insert(std::move(entry));
  }
}

}  // namespace graft::inline v1
