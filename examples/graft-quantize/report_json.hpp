#pragma once
#include <cstddef>
#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include <graft/quantize.hpp>
#include <graft/rewrite.hpp>

#include "graft-quantize/analysis.hpp"
#include "graft-quantize/report.hpp"
#include "support/writable.hpp"

inline nlohmann::json to_json(const graft::GoalResult& goal) {
  return {{"met", goal.met}, {"in_float", goal.in_float}, {"dynamic", goal.dynamic}, {"weight_only", goal.weight_only},
          {"layers", goal.layers}, {"pairs", goal.pairs}, {"trials", goal.trials}, {"text", to_string(goal)}};
}

/// "mend" is the older name of the remedy.
inline nlohmann::json to_json(const graft::OperatorOutcome& one) {
  return {{"scope", one.scope}, {"node", one.node}, {"op", one.op}, {"form", to_string(one.form)},
          {"fused", one.fused()}, {"severity", to_string(one.severity)}, {"code", one.code}, {"text", one.text},
          {"remedy", one.remedy}, {"mend", one.remedy}, {"within", one.within}};
}

inline nlohmann::json to_json(const Outcome& outcome) {
  nlohmann::json steps = nlohmann::json::array(), findings = nlohmann::json::array();
  for (const graft::Report& step : outcome.result.passes.steps) {
    steps.push_back({{"pass", step.pass}, {"outcome", graft::to_string(step.outcome)}, {"changes", step.changes},
                     {"nodes_before", step.nodes_before}, {"nodes_after", step.nodes_after}, {"seconds", step.seconds},
                     {"notes", step.notes}});
  }
  for (const graft::OperatorOutcome& finding : outcome.result.audit.findings) findings.push_back(to_json(finding));
  nlohmann::json operators = nlohmann::json::array(), products = nlohmann::json::array();
  nlohmann::json in_float = nlohmann::json::object();
  for (const graft::OperatorOutcome& one : outcome.result.outcomes) {
    operators.push_back(to_json(one));
    if (one.is_product) products.push_back({{"node", one.node}, {"form", product_form(one)}, {"why", one.text}});
    if (one.is_kept) in_float[one.node] = one.text;
  }
  nlohmann::json report{{"model", outcome.model},
                        {"target", outcome.target},
                        {"preprocessing", outcome.preprocessing},
                        {"calibration_samples", outcome.result.calibration_samples},
                        {"held_out_samples", outcome.result.held_out_samples},
                        {"overridable", outcome.overridable},
                        {"nodes_before", outcome.nodes_before},
                        {"nodes_after", outcome.nodes_after},
                        {"pairs", outcome.result.pairs},
                        {"tables", outcome.result.tables},
                        {"products", outcome.result.products},
                        {"caches", outcome.result.caches},
                        {"product_forms", products},
                        {"bytes_before", outcome.bytes_before},
                        {"bytes_after", outcome.bytes_after},
                        {"fused", outcome.result.audit.fused()},
                        {"expected_speedup", nullptr},
                        {"operators", operators},
                        {"in_float", in_float},
                        {"seconds", outcome.seconds},
                        {"passes", steps},
                        {"audit", findings}};
  for (const RuntimeAudit& one : outcome.runtimes) {
    nlohmann::json& audit = report["runtimes"][one.target] = nlohmann::json::array();
    for (const graft::OperatorOutcome& finding : one.audit.findings) audit.push_back(to_json(finding));
  }
  for (const graft::TargetConflict& conflict : outcome.conflicts) report["conflicts"][conflict.op] = conflict.text;
  if (is_estimated(outcome)) report["expected_speedup"] = outcome.result.expected_time.speedup();
  if (outcome.decoder) report["decoder"] = to_json(*outcome.decoder);
  if (outcome.integer_forms) report["integer_forms"] = *outcome.integer_forms;
  nlohmann::json trials = nlohmann::json::array();
  for (const graft::QuantizeTrial& trial : outcome.result.trials) {
    trials.push_back(to_json(trial.fidelity));
    trials.back()["name"] = trial.name;
    trials.back()["ended_early"] = trial.ended_early;
    trials.back()["within_noise"] = trial.within_noise;
  }
  report["trials"] = std::move(trials);
  if (const auto& accuracy = outcome.result.accuracy) {
    report["accuracy"] = to_json(accuracy->fidelity);
    report["accuracy"]["samples"] = accuracy->samples;
    report["accuracy"]["are_unseen"] = accuracy->are_unseen;
  }
  if (outcome.result.analysis) report["analysis"] = to_json(*outcome.result.analysis);
  if (const auto& goal = outcome.result.goal) report["goal"] = to_json(*goal);
  if (const auto& poor = outcome.result.poor_layers) {
    report["poor_layers"] = to_json(poor->found);
    report["poor_layers"]["speedup_before"] = poor->speedup_before;
    report["poor_layers"]["text"] = to_string(*poor);
  }
  if (const auto& refined = outcome.result.refined)
    report["refined"] = {
        {"changed", refined->changed}, {"noise", refined->noise_after}, {"noise_before", refined->noise_before}};
  if (const auto& widths = outcome.result.bit_widths) {
    nlohmann::json& layers = report["bit_widths"] = nlohmann::json::array();
    const auto add = [&](const std::vector<graft::ChosenBitWidths::Layer>& listed, bool is_fixed) {
      for (const auto& layer : listed)
        layers.push_back({{"name", layer.name},
                          {"weight_bits", layer.weight_bits},
                          {"input", layer.input},
                          {"activation_bits", layer.activation_bits},
                          {"is_fixed", is_fixed}});
    };
    add(widths->layers, false);
    add(widths->fixed, true);
  }
  if (const auto& reconstructed = outcome.result.reconstructed) {
    nlohmann::json& layers = report["reconstructed"] = nlohmann::json::array();
    for (const auto& layer : reconstructed->layers) {
      const auto noise = [&](double known) { return layer.is_measured ? nlohmann::json(known) : nlohmann::json(); };
      layers.push_back({{"name", layer.name},
                        {"noise", noise(layer.noise_after)},
                        {"noise_before", noise(layer.noise_before)},
                        {"why_not", layer.why_not}});
    }
    for (const auto& block : reconstructed->blocks)
      report["reconstructed_blocks"].push_back({{"layers", block.layers},
                                                {"noise", block.noise_after},
                                                {"noise_before", block.noise_before},
                                                {"why_not", block.why_not}});
  }
  if (outcome.result.checked) report["checked"] = to_json(*outcome.result.checked);
  return report;
}

inline void save_report(const Outcome& outcome, const std::filesystem::path& path) {
  constexpr auto replace = nlohmann::json::error_handler_t::replace;  // names need not be UTF-8
  graft::write_whole(path.string(), to_json(outcome).dump(2, ' ', false, replace) + "\n");
}
