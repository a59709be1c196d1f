#pragma once
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <graft/graph/whole_file.hpp>
#include <graft/session.hpp>

#include "graft-tune/options.hpp"
#include "support/table.hpp"

struct Outcome {
  std::string model, runtime;
  std::size_t samples = 0;
  graft::TuneResult result;
};

/// The time of the default: of the confirmation, or else of the trials; NaN if nothing ran.
inline double default_time(const graft::TuneResult& result) {
  std::vector<double> times = result.times_of_default;
  if (times.empty())
    for (const graft::SessionTrial& trial : result.trials)
      times.insert(times.end(), trial.times_of_default.begin(), trial.times_of_default.end());
  return times.empty() ? std::nan("") : graft::quantile(times, 0.5);
}

/// The objective in words.
inline std::string shown(double seconds, graft::Objective objective) {
  if (std::isnan(seconds)) return "not measured";
  if (objective == graft::Objective::throughput) return fixed(1 / seconds, 1) + " runs a second";
  return fixed(seconds * 1e3, 3) + " ms, " + std::string(to_string(objective));
}

inline std::string shown(const graft::PairedRatio& ratio) {
  if (std::isinf(ratio.high)) return fixed(ratio.ratio, 3);
  return fixed(ratio.ratio, 3) + " (" + fixed(ratio.low, 3) + " to " + fixed(ratio.high, 3) + ")";
}

/// The value that a trial gave its option.
inline std::string value_of(const graft::SessionTrial& trial) {
  const auto found = trial.config.find(trial.option);
  return found == trial.config.end() ? std::string(graft::session_option(trial.option).preset) : found->second;
}

inline std::string verdict_of(const graft::SessionTrial& trial) {
  std::string text(to_string(trial.verdict));
  if (trial.verdict == graft::TrialVerdict::changes_outputs) {
    char apart[48];
    std::snprintf(apart, sizeof apart, " by %.2g in '", trial.difference.relative);
    text += apart + trial.difference.output + "'";
  }
  return text + (trial.reason.empty() ? "" : ": " + trial.reason);
}

/// Prints one screen about the run.
inline void print_table(const Outcome& outcome, const Options& options) {
  const graft::TuneResult& result = outcome.result;
  const std::string concurrency = options.tune.concurrency == 1
                                      ? "" : ", " + std::to_string(options.tune.concurrency) + " runs at once";
  print_line("model", outcome.model + ", " + counted(outcome.samples, "sample") + concurrency);
  print_line("runtime", outcome.runtime);
  print_line("default", shown(default_time(result), options.tune.objective));
  for (const auto& [name, value] : result.base) print_line("", name + "=" + value);
  if (result.candidate == result.base) {
    print_line("result", "no significant gain: the default is kept");
  } else {
    print_line(options.compares ? "compared" : result.is_faster() ? "result" : "best found",
               shown(graft::quantile(result.times_of_candidate, 0.5), options.tune.objective));
    for (const auto& [name, value] : result.candidate) print_line("", name + "=" + value);
    print_line("ratio of times", shown(result.confirmed) + " with " + fixed(options.tune.search.confidence * 100, 0) +
                                     " % confidence, in " + counted(result.confirmed.pairs, "fresh pair") +
                                     " of sessions");
    if (result.difference.relative > options.tune.search.tolerance)
      print_line("", "the outputs differ by more than the tolerance, in '" + result.difference.output + "'");
    if (!result.is_faster()) print_line("result", "no significant gain: the default is kept");
  }
  std::set<std::string> names;
  for (const graft::SessionTrial& trial : result.trials) names.insert(trial.option);
  if (!options.compares)
    print_line("tried", counted(result.trials.size(), "configuration") + ", " + counted(names.size(), "option") +
                            ", in " + fixed(result.seconds, 1) + " s; ratios to the best before:");
  for (const graft::SessionTrial& trial : result.trials)
    std::printf("  %-44s %-20s %-24s %s\n", trial.option.c_str(), value_of(trial).c_str(),
                trial.times.empty() ? "" : shown(trial.ratio).c_str(), verdict_of(trial).c_str());
  for (const std::string& name : result.untried) std::printf("  %-44s no time was left\n", name.c_str());
}

inline void print_list() {
  for (const graft::SessionOption& option : graft::session_options)
    std::printf("%-44s %-12s %s\n", std::string(option.name).c_str(),
                option.preset.empty() ? "not set" : std::string(option.preset).c_str(),
                std::string(option.summary).c_str());
}

/// Writes infinity as null, because JSON lacks it.
inline nlohmann::json number(double value) { return std::isfinite(value) ? nlohmann::json(value) : nullptr; }

inline nlohmann::json to_json(const graft::PairedRatio& ratio) {
  return {{"ratio", ratio.ratio}, {"low", ratio.low}, {"high", number(ratio.high)}, {"pairs", ratio.pairs}};
}

inline nlohmann::json to_json(const graft::OutputDifference& difference) {
  return {{"relative", number(difference.relative)}, {"output", difference.output}};
}

inline nlohmann::json to_json(const graft::SessionTrial& trial) {
  nlohmann::json json{{"option", trial.option},
                      {"options", nlohmann::json(trial.config)},
                      {"against", nlohmann::json(trial.against)},
                      {"difference", to_json(trial.difference)},
                      {"times", trial.times},
                      {"times_against", trial.times_against},
                      {"times_of_default", trial.times_of_default},
                      {"ratio", to_json(trial.ratio)},
                      {"verdict", to_string(trial.verdict)}};
  if (!trial.reason.empty()) json["reason"] = trial.reason;
  return json;
}

/// Times are in seconds. For throughput, a time reaches from the end of a run to the end of the next.
inline nlohmann::json to_json(const Outcome& outcome, const Options& options) {
  const graft::TuneResult& result = outcome.result;
  nlohmann::json trials = nlohmann::json::array();
  for (const graft::SessionTrial& trial : result.trials) trials.push_back(to_json(trial));
  return {{"model", outcome.model},
          {"runtime", outcome.runtime},
          {"samples", outcome.samples},
          {"objective", to_string(options.tune.objective)},
          {"concurrency", options.tune.concurrency},
          {"confidence", options.tune.search.confidence},
          {"tolerance", options.tune.search.tolerance},
          {"base", nlohmann::json(result.base)},
          {"chosen", nlohmann::json(result.chosen)},
          {"candidate", nlohmann::json(result.candidate)},
          {"difference", to_json(result.difference)},
          {"ratio", to_json(result.confirmed)},
          {"times_of_candidate", result.times_of_candidate},
          {"times_of_default", result.times_of_default},
          {"trials", trials},
          {"untried", result.untried},
          {"seconds", result.seconds},
          {"cpp", graft::to_cpp(result.chosen)},
          {"python", graft::to_python(result.chosen)}};
}

inline void save_json(const nlohmann::json& json, const std::filesystem::path& path) {
  constexpr auto replace = nlohmann::json::error_handler_t::replace;  // names need not be UTF-8
  graft::write_whole(path, json.dump(2, ' ', false, replace) + "\n");
}
