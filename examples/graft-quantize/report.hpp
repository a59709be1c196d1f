#pragma once
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <graft/quantize.hpp>
#include <graft/rewrite.hpp>

#include "graft-quantize/analysis.hpp"
#include "support/writable.hpp"

/// What a run of the program did.
struct Outcome {
  std::string model, target;
  std::string preprocessing;  // of samples; empty if there are none
  graft::Report passes;
  graft::Audit audit;
  graft::InFloat in_float;  // what the passes left there, and why
  std::optional<graft::Analysis> analysis;
  std::optional<graft::GoalResult> goal;  // where one was set
  std::size_t nodes_before = 0, nodes_after = 0, pairs_before = 0, pairs = 0;
  std::size_t bytes_before = 0, bytes_after = 0;
  std::size_t float_products = 0;
  bool commutes = false;  // pairs that are there already move behind activations
  std::size_t integer_forms = 0;  // operators that another tool has put on integers
  std::size_t overridable = 0;  // initializers that callers may override, and that were left as they are
};

inline std::size_t count(const graft::Graph& graph, std::string_view op) {
  std::size_t result = 0;
  for (const graft::Node& node : graph.nodes()) result += node.is(op);
  return result;
}

/// Of the audit, what was left in float on purpose aside.
inline void print_findings(const Outcome& outcome, bool explain) {
  const auto& kept = outcome.in_float.reasons;
  std::map<std::string_view, std::size_t> reasons;
  for (const auto& [node, reason] : kept) ++reasons[reason];
  for (const auto& [reason, number] : reasons)
    std::printf("%-24s %zu operator%s: %.*s\n", "left in float", number, number == 1 ? "" : "s",
                static_cast<int>(reason.size()), reason.data());
  const graft::Audit convs = outcome.audit.of("Conv");
  std::printf("%-24s %zu of %zu\n", "Convs that will fuse", convs.fused(), convs.findings.size());
  std::printf("%-24s %zu of %zu\n", "other operators", outcome.audit.fused() - convs.fused(),
              outcome.audit.findings.size() - convs.findings.size());
  for (const graft::Finding& finding : outcome.audit.findings) {
    const auto reason = finding.fused ? kept.end() : kept.find(finding.node);
    const bool is_news = !finding.fused && reason == kept.end();
    const bool is_told = is_news || finding.severity >= graft::Severity::warning;
    if (!is_told && (finding.severity == graft::Severity::none || !explain)) continue;
    if (reason != kept.end() && finding.severity < graft::Severity::error) {
      std::printf("  %s %s: left in float: %s\n", finding.op.c_str(), finding.node.c_str(), reason->second.c_str());
      continue;
    }
    std::printf("  %s %s: %.*s: %s", finding.op.c_str(), finding.node.c_str(), static_cast<int>(finding.code.size()),
                finding.code.data(), finding.text.c_str());
    if (!finding.mend.empty()) std::printf(" (%.*s)", static_cast<int>(finding.mend.size()), finding.mend.data());
    std::printf("\n");
  }
}

inline void print_table(const Outcome& outcome, bool explain) {
  const auto megabytes = [](std::size_t bytes) { return static_cast<double>(bytes) / 1e6; };
  std::printf("%-24s %s, for %s\n", "model", outcome.model.c_str(), outcome.target.c_str());
  const graft::Target& here = graft::targets::ort_cpu_here();
  if (outcome.target == graft::targets::ort_cpu_x64.name && &here == &graft::targets::ort_cpu_avx2)
    std::printf("%-24s has no VNNI: sums saturate on it, which --target %s prevents\n", "this machine",
                std::string(here.name).c_str());
  std::printf("%-24s %zu -> %zu\n", "nodes", outcome.nodes_before, outcome.nodes_after);
  std::printf("%-24s %zu%s\n", "Q/DQ pairs", outcome.pairs,
              outcome.pairs == 0 && outcome.integer_forms == 0 ? ": nothing is quantized" : "");
  if (outcome.pairs_before != 0 && !outcome.commutes)
    std::printf("%-24s %zu Q/DQ pairs, which stay as they are\n", "quantized already", outcome.pairs_before);
  std::printf("%-24s %.2f -> %.2f MB\n", "size", megabytes(outcome.bytes_before), megabytes(outcome.bytes_after));
  if (outcome.overridable != 0)
    std::printf("%-24s %zu initializers that callers may override (--freeze-inputs takes them for constants)\n",
                "left in float", outcome.overridable);
  if (outcome.integer_forms != 0)
    std::printf("%-24s %zu operators, left as they are\n", "in integers already", outcome.integer_forms);
  for (const graft::Report& step : outcome.passes.steps)
    std::printf("  %-22s %.3f s\n", step.pass.c_str(), step.seconds);
  for (const graft::Report& step : outcome.passes.steps)
    if (step.pass == "nearest_ranges" && !step.notes.empty())
      std::printf("%-24s %s\n", "ranges", step.notes.back().c_str());
  if (const graft::Report* const switched = outcome.passes.step("to_inference"))
    for (const std::string& note : switched->notes) std::printf("%-24s %s\n", "inference", note.c_str());
  if (outcome.goal) {
    for (const std::string& layer : outcome.goal->in_float)
      std::printf("%-24s '%s' stays in float\n", "left in float", layer.c_str());
    std::printf("%-24s %s\n", "goal", to_string(*outcome.goal).c_str());
    if (outcome.goal->nameless != 0 && !outcome.goal->met)
      std::printf("%-24s %zu quantized operators without a name were not tried in float\n", "goal",
                  outcome.goal->nameless);
  }
  if (outcome.float_products != 0)
    std::printf("%-24s %zu Gemm and MatMul, which --placement all-supported quantizes\n", "left in float",
                outcome.float_products);
  print_findings(outcome, explain);
  if (outcome.analysis && !outcome.analysis->layers.empty()) print_analysis(*outcome.analysis);
  if (!explain) return;
  for (const graft::Report& step : outcome.passes.steps) {
    for (const std::string& note : step.notes) std::printf("  %s: %s\n", step.pass.c_str(), note.c_str());
    for (const graft::Refusal& refusal : step.refusals)
      std::printf("  %s left %s: %s\n", refusal.rule.c_str(), refusal.node.c_str(), refusal.why.c_str());
  }
}

inline nlohmann::json to_json(const Outcome& outcome) {
  nlohmann::json steps = nlohmann::json::array(), findings = nlohmann::json::array();
  for (const graft::Report& step : outcome.passes.steps) {
    steps.push_back({{"pass", step.pass}, {"outcome", graft::to_string(step.outcome)}, {"changes", step.changes},
                     {"nodes_before", step.nodes_before}, {"nodes_after", step.nodes_after}, {"seconds", step.seconds},
                     {"notes", step.notes}});
  }
  constexpr const char* severities[] = {"none", "info", "warning", "error"};
  for (const graft::Finding& finding : outcome.audit.findings) {
    findings.push_back({{"node", finding.node}, {"op", finding.op}, {"fused", finding.fused},
                        {"severity", severities[static_cast<std::size_t>(finding.severity)]},
                        {"code", finding.code}, {"text", finding.text}, {"mend", finding.mend}});
  }
  nlohmann::json report{{"model", outcome.model},
                        {"target", outcome.target},
                        {"preprocessing", outcome.preprocessing},
                        {"nodes_before", outcome.nodes_before},
                        {"nodes_after", outcome.nodes_after},
                        {"pairs", outcome.pairs},
                        {"bytes_before", outcome.bytes_before},
                        {"bytes_after", outcome.bytes_after},
                        {"fused", outcome.audit.fused()},
                        {"integer_forms", outcome.integer_forms},
                        {"passes", steps},
                        {"audit", findings}};
  if (outcome.analysis) report["analysis"] = to_json(*outcome.analysis);
  if (const auto& goal = outcome.goal)
    report["goal"] = {{"met", goal->met}, {"in_float", goal->in_float}, {"layers", goal->layers},
                      {"pairs", goal->pairs}, {"trials", goal->trials}, {"text", to_string(*goal)}};
  return report;
}

inline void save_report(const Outcome& outcome, const std::filesystem::path& path) {
  constexpr auto replace = nlohmann::json::error_handler_t::replace;  // names need not be UTF-8
  graft::write_whole(path, to_json(outcome).dump(2, ' ', false, replace) + "\n");
}
