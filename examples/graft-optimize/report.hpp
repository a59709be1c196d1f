#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <graft/graph.hpp>
#include <graft/rewrite.hpp>
#include <graft/surgery.hpp>

#include "graft-optimize/check.hpp"
#include "graft-optimize/options.hpp"
#include "graft-optimize/passes.hpp"
#include "support/operators.hpp"
#include "support/refusals.hpp"
#include "support/table.hpp"
#include "support/writable.hpp"

/// The results of a run of the program.
struct Outcome {
  std::string model;
  std::vector<std::string> surgeries{};
  graft::Report passes{};
  OperatorCounts before{}, after{};  // nodes, including those of bodies and functions
  std::size_t bytes_before = 0, bytes_after = 0;
  std::size_t overridable = 0;  // initializers of the result that are inputs too
  std::optional<Check> check{};
  std::vector<std::string> problems{};  // problems of the result that the model did not have
  double seconds = 0;
};

/// How often each rule applied, over all steps.
inline void add_rules(const graft::Report& report, OperatorCounts& applied) {
  for (const graft::RuleCount& rule : report.rules)
    if (rule.applied != 0) applied[rule.rule] += rule.applied;
  for (const graft::Report& step : report.steps) add_rules(step, applied);
}

inline std::string to_string(const Difference& difference) {
  char text[96];
  std::snprintf(text, sizeof text, "largest difference %.3g, %.3g of the largest magnitude", difference.largest,
                difference.relative);
  return difference.largest == 0 ? "no difference" : text + (", in '" + difference.output + "'");
}

inline void print_check(const Check& check) {
  if (!check.failure.empty()) print_line("check", "failed: " + check.failure);
  else print_line("check", to_string(check.difference) + ", on " + counted(check.runs, "input"));
  for (const std::string& output : check.alone)
    print_line("", "not compared: the output '" + output + "', which only one of the two has");
}

inline std::string to_string(const graft::Refusal& refusal) {
  return refusal.rule + " left " + refusal.node + ": " + refusal.why;
}

/// Prints the surgeries; one that changed nothing gets some of its reasons.
inline void print_surgeries(const Outcome& outcome) {
  const std::size_t most = 3;
  const char* label = "surgeries";
  for (std::size_t i = 0; i < outcome.surgeries.size(); ++i) {
    const graft::Report& report = outcome.passes.steps[i];
    print_line(std::exchange(label, ""), outcome.surgeries[i] + (report.changes == 0 ? ": nothing changed" : ""));
    if (report.changes != 0) continue;
    std::vector<graft::Refusal> refusals;
    add_refusals(report, refusals);
    for (std::size_t k = 0; k < std::min(most, refusals.size()); ++k) print_line("", "  " + to_string(refusals[k]));
  }
}

/// Prints the notes of a surgery.
inline void print_notes(const graft::Report& report) {
  for (const std::string& note : report.notes) print_line("note", report.pass + ": " + note);
  for (const graft::Report& step : report.steps) print_notes(step);
}

/// Prints one screen about the run.
inline void print_table(const Outcome& outcome, const Options& options) {
  const auto megabytes = [](std::size_t bytes) { return fixed(static_cast<double>(bytes) / 1e6, 2); };
  print_line("model", outcome.model);
  print_surgeries(outcome);
  print_operators(outcome.before, outcome.after);
  print_line("size", megabytes(outcome.bytes_before) + " -> " + megabytes(outcome.bytes_after) + " MB");
  if (outcome.overridable != 0)
    print_line("not constant", counted(outcome.overridable, "initializer") + " that callers may override, as inputs; " +
                                   "--surgery RemoveInitializerFromInputs makes them constants");
  OperatorCounts applied;
  add_rules(outcome.passes, applied);
  if (!applied.empty()) print_line("rules applied", listed(applied));
  if (!outcome.passes.converged())
    print_line("ended early", std::string(to_string(outcome.passes.outcome)));
  print_notes(outcome.passes);
  if (outcome.check) print_check(*outcome.check);
  print_line("time", fixed(outcome.seconds, 2) + " s");
  if (options.verbose) std::printf("%s", to_string(outcome.passes).c_str());
  std::vector<graft::Refusal> refusals;
  if (options.explains_all) add_refusals(outcome.passes, refusals);
  for (const graft::Refusal& refusal : refusals) std::printf("  %s\n", to_string(refusal).c_str());
}

inline std::string to_string(const graft::Intent& intent) {
  std::string text = intent.values.empty() ? "" : "values (" + std::string(intent.values) + ")";
  if (intent.shapes) text += text.empty() ? "shapes" : ", shapes";
  if (intent.signature) text += text.empty() ? "signature" : ", signature";
  return text.empty() ? "" : "; changes " + text;
}

/// Cuts a pattern to this many characters.
inline std::string cut(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 4) + " ...";
}

inline void print_list() {
  std::printf("passes and rules, of which simplification applies those with *:\n");
  for (const Choice& one : choices())
    std::printf("%s %-36s %s%s\n", one.is_usual ? "*" : " ", one.name.c_str(), cut(one.summary, 96).c_str(),
                to_string(one.changes).c_str());
  std::printf("surgeries; patterns are regular expressions of whole names:\n");
  for (const graft::Surgeon& one : graft::surgeons()) {
    std::string parameters;
    for (const graft::SurgeonParameter& parameter : one.parameters)
      parameters += std::string(parameter.required ? " " : " [") + std::string(parameter.name) +
                    (parameter.required ? "" : "]");
    std::printf("  %-36s %s%s\n", (std::string(one.name) + parameters).c_str(), std::string(one.summary).c_str(),
                to_string(one.changes).c_str());
  }
}

inline nlohmann::json to_json(const graft::Report& report) {
  nlohmann::json rules = nlohmann::json::object(), steps = nlohmann::json::array(),
                 refusals = nlohmann::json::array();
  for (const graft::RuleCount& rule : report.rules)
    if (rule.applied != 0) rules[rule.rule] = rule.applied;
  for (const graft::Report& step : report.steps) steps.push_back(to_json(step));
  for (const graft::Refusal& refusal : report.refusals)
    refusals.push_back({{"rule", refusal.rule}, {"node", refusal.node}, {"why", refusal.why}});
  return {{"pass", report.pass},       {"outcome", to_string(report.outcome)},
          {"changes", report.changes}, {"nodes_before", report.nodes_before},
          {"nodes_after", report.nodes_after}, {"seconds", report.seconds},
          {"rules", rules},            {"notes", report.notes},
          {"warnings", report.warnings}, {"refusals", refusals},
          {"steps", steps}};
}

/// Writes an infinite difference as null.
inline nlohmann::json to_json(const Check& check) {
  nlohmann::json json{{"runs", check.runs}, {"not_compared", check.alone}};
  if (!check.failure.empty()) json["failure"] = check.failure;
  else json.update({{"largest", check.difference.largest}, {"relative", check.difference.relative},
                    {"output", check.difference.output}});
  return json;
}

inline nlohmann::json to_json(const Outcome& outcome) {
  nlohmann::json json{{"model", outcome.model},
                      {"surgeries", outcome.surgeries},
                      {"operators_before", outcome.before},
                      {"operators_after", outcome.after},
                      {"nodes_before", sum(outcome.before)},
                      {"nodes_after", sum(outcome.after)},
                      {"bytes_before", outcome.bytes_before},
                      {"bytes_after", outcome.bytes_after},
                      {"seconds", outcome.seconds},
                      {"problems", outcome.problems},
                      {"passes", to_json(outcome.passes)}};
  if (outcome.check) json["check"] = to_json(*outcome.check);
  return json;
}

inline void save_report(const Outcome& outcome, const std::filesystem::path& path) {
  constexpr auto replace = nlohmann::json::error_handler_t::replace;  // names need not be UTF-8
  graft::write_whole(path.string(), to_json(outcome).dump(2, ' ', false, replace) + "\n");
}
