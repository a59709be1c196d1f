#pragma once
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <graft/quantize.hpp>

#include "support/calibration.hpp"
#include "support/writable.hpp"

inline const std::vector<std::pair<std::string, graft::Placement>> placements{
    {"min-cost", graft::Placement::min_cost},
    {"all-supported", graft::Placement::all_supported},
    {"conv-only", graft::Placement::conv_only},
    {"fusion-aware", graft::Placement::fusion_aware},
    {"naive", graft::Placement::naive}};

/// Two of them had other names before, which are still taken.
inline std::string present_placement_name(const std::string& name) {
  return name == "whole-graph" ? "min-cost" : name == "everything" ? "all-supported" : name;
}

/// Of a name that is among them.
inline graft::Placement placement_named(const std::string& name) {
  const auto has_it = [&](const auto& entry) { return entry.first == name; };
  return std::find_if(placements.begin(), placements.end(), has_it)->second;
}

inline const std::string& name_of(graft::Placement placement) {
  const auto has_it = [&](const auto& entry) { return entry.second == placement; };
  return std::find_if(placements.begin(), placements.end(), has_it)->first;
}

/// What the command line asks for.
struct Options {
  std::filesystem::path model, output, ranges, save_ranges, report, html;
  Calibration calibration;
  std::optional<graft::Target> target;
  graft::Placement placement = graft::Placement::min_cost;
  graft::WeightForm weights = graft::Granularity::per_channel;
  std::vector<graft::NamePattern> excluded;
  std::vector<graft::RangeOverride> given_ranges;
  std::vector<graft::WeightFormOverride> given_weights;
  std::vector<graft::ActivationOverride> given_activations;
  graft::FidelityGoal goal;
  graft::LayerTrials trials;
  bool analyze = false, keep_fewest = false, try_observers = false;
  bool keep_ends = false, zero_dead_channels = false, equalize = false, commute = false, correct_biases = false;
  bool freeze_inputs = false, explain = false, dry_run = false;

  graft::WeightForms weight_forms() const { return {weights, given_weights}; }
  /// Whether anything is quantized to 16 bits.
  bool is_wide() const {
    return bits(target->activation) == 16 ||
           std::any_of(given_activations.begin(), given_activations.end(),
                       [](const graft::ActivationOverride& given) { return bits(given.dtype) == 16; });
  }
  bool observes_channels() const { return zero_dead_channels || equalize; }
};

inline graft::NamePattern name_pattern(const std::string& option, const std::string& text) {
  try {
    return graft::NamePattern(text);
  } catch (const graft::Error& error) {
    throw CLI::ValidationError(option, error.message());
  }
}

inline const std::map<std::string, graft::DType>& activation_dtypes() {
  using graft::DType;
  static const std::map<std::string, DType> dtypes{
      {"u8", DType::u8}, {"i8", DType::i8}, {"u16", DType::u16}, {"i16", DType::i16}};
  return dtypes;
}

/// Of NAME=DTYPE.
inline graft::ActivationOverride activation_override(const std::string& text) {
  const auto equals = text.rfind('=');
  const auto dtype = activation_dtypes().find(equals == std::string::npos ? "" : text.substr(equals + 1));
  if (dtype == activation_dtypes().end())
    throw CLI::ValidationError("--activations-of", "wanted NAME=u8, i8, u16 or i16, got " + text);
  return {name_pattern("--activations-of", text.substr(0, equals)), dtype->second};
}

/// Of NAME=MIN,MAX.
inline graft::RangeOverride range_override(const std::string& text) {
  const auto equals = text.rfind('='), comma = text.rfind(',');
  graft::Range range;
  if (equals == std::string::npos || comma == std::string::npos || comma < equals ||
      !CLI::detail::lexical_cast(text.substr(equals + 1, comma - equals - 1), range.min) ||
      !CLI::detail::lexical_cast(text.substr(comma + 1), range.max) || !std::isfinite(range.min) ||
      !std::isfinite(range.max))
    throw CLI::ValidationError("--set-range", "wanted NAME=MIN,MAX, got " + text);
  if (range.empty()) throw CLI::ValidationError("--set-range", "MIN is above MAX in " + text);
  return {name_pattern("--set-range", text.substr(0, equals)), range};
}

/// Of NAME=FORM, where FORM is some of per-tensor or per-channel, a number of bits, and clip, with commas between them.
inline graft::WeightFormOverride weight_override(const std::string& text, graft::WeightForm form) {
  const auto equals = text.rfind('=');
  const auto wrong = [&] { return CLI::ValidationError("--weights-of", "wanted NAME=FORM, got " + text); };
  if (equals == std::string::npos) throw wrong();
  for (const std::string& word : CLI::detail::split(text.substr(equals + 1), ',')) {
    if (word == "per-tensor") form.granularity = graft::Granularity::per_tensor;
    else if (word == "per-channel") form.granularity = graft::Granularity::per_channel;
    else if (word == "clip") form.clipping = graft::Clipping::squared_error;
    else if (!CLI::detail::lexical_cast(word, form.bits.emplace()) || *form.bits < 2 || *form.bits > 8) throw wrong();
  }
  return {name_pattern("--weights-of", text.substr(0, equals)), form};
}

/// Fills the options; exits with 0 after --help, with 2 on wrong usage.
inline Options parse_options(int argc, char** argv) {
  Options options;
  CLI::App app("Quantizes an ONNX model to 8 bits, with Q/DQ where the runtime fuses it and gains by it.",
               "graft-quantize");
  app.add_option("MODEL", options.model, "the float model")->required();
  app.add_option("-o,--output", options.output, "where the quantized model goes");
  auto* const calibration = app.add_option("--calibration", options.calibration.data, calibration_help);
  app.add_option("--ranges", options.ranges, "ranges saved before, instead of calibrating");
  app.add_option("--save-ranges", options.save_ranges, "keep the ranges for another time");
  std::string target = "ort-cpu-x64";
  app.add_option("--target", target, "ort-cpu-x64, ort-cpu-avx2 (without VNNI), ort-cpu-arm64, onednn or paper")
      ->capture_default_str();
  std::string activations;
  app.add_option("--activations", activations, "their dtype, if not that of the target; of 16 bits, at opset 21")
      ->check(CLI::IsMember(activation_dtypes()));
  std::string weights = "per-channel";
  const auto place = [&](const std::string& name) { options.placement = placement_named(name); };
  app.add_option_function<std::string>("--placement", place)
      ->check(CLI::IsMember(placements))
      ->transform(present_placement_name)
      ->default_str(name_of(options.placement));
  app.add_flag("--commute", options.commute, "move DQ past activations that the target defers");
  app.add_option("--weights", weights)->check(CLI::IsMember({"per-channel", "per-tensor"}))->capture_default_str();
  std::vector<std::string> excluded, given_ranges, given_weights, given_activations;
  const auto add_repeatable = [&app](const char* name, std::vector<std::string>& texts, const char* type,
                                     const char* help) {
    app.add_option(name, texts, help)->type_name(type)->expected(1)->multi_option_policy(
        CLI::MultiOptionPolicy::TakeAll);
  };
  add_repeatable("--activations-of", given_activations, "NAME=DTYPE", "of tensors, as in head.*=u16; repeatable");
  add_repeatable("--exclude", excluded, "NAME",
                 "nodes that stay in float: a name, or a regular expression of all of it; repeatable");
  app.add_flag("--exclude-ends", options.keep_ends, "the first and the last that would be quantized stay in float");
  add_repeatable("--set-range", given_ranges, "NAME=MIN,MAX",
                 "of tensors, by name or regular expression; repeatable");
  bool clip_weights = false, reduce_range = false;
  auto* const bits = app.add_option("--weight-bits", options.weights.bits, "of the 8 that a weight is stored in")
                         ->check(CLI::Range(2, 8))
                         ->default_str("as many as the target takes");
  app.add_flag("--reduce-range", reduce_range, "7 bits")->excludes(bits);
  app.add_flag("--clip-weights", clip_weights, "where that makes the squared error of weights least");
  add_repeatable("--weights-of", given_weights, "NAME=FORM",
                 "of nodes: per-tensor or per-channel, bits, clip, as in head.*=per-tensor,6,clip; repeatable");
  app.add_flag("--zero-dead-channels", options.zero_dead_channels,
               "no weights for channels that are constant on the samples; runs them once more")
      ->needs(calibration);
  app.add_flag("--equalize", options.equalize, "even out the weights of neighbours; runs the samples once more")
      ->needs(calibration);
  app.add_flag("--correct-biases", options.correct_biases,
               "take from biases what rounding the weights adds on average; runs the samples once more")
      ->needs(calibration);
  app.add_flag("--analyze", options.analyze, "tell which tensors and layers lose most; runs samples for each layer")
      ->needs(calibration);
  auto* const agreement =
      app.add_option("--min-agreement", options.goal.top1, "leave as few layers in float as that top-1 agreement takes")
          ->check(CLI::Range(0.0, 1.0))
          ->needs(calibration);
  auto* const cosine = app.add_option("--min-cosine", options.goal.cosine, "the same for the cosine of the outputs")
                           ->check(CLI::Range(-1.0, 1.0))
                           ->needs(calibration);
  app.add_option("--trial-samples", options.trials.samples, "on which each layer is tried, for these three")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--freeze-inputs", options.freeze_inputs, "initializers that a caller could override are constants");
  app.add_option("--report", options.report, "what was done, as JSON");
  app.add_option("--html", options.html, "a page of what was done; runs the samples again to see its values");
  app.add_flag("--explain", options.explain, "tell why what is left was left, node by node");
  app.add_flag("--dry-run", options.dry_run, "do everything but write the model");
  add_observer_options(app, options.calibration.observer);
  app.add_flag("--try-observers", options.try_observers, "take the observer with which outputs are nearest to float")
      ->needs(calibration)
      ->excludes("--observer")
      ->excludes("--ranges");
  add_sample_options(app, options.calibration);

  try {
    app.parse(argc, argv);
    if (options.output.empty() && !options.dry_run) throw CLI::RequiredError("--output (or --dry-run)");
    if (options.calibration.data.empty() && options.ranges.empty())
      throw CLI::RequiredError("--calibration or --ranges");
    options.keep_fewest = agreement->count() + cosine->count() != 0;
    const bool runs_samples = options.observes_channels() || options.correct_biases || options.analyze ||
                              options.keep_fewest || !options.html.empty();
    if (!options.calibration.data.empty() && !options.ranges.empty() && !runs_samples)
      throw CLI::ExcludesError("--ranges", "--calibration");
    if (options.calibration.data.empty())
      for (const char* const option : {"--observer", "--percent", "--weight", "--threads", "--keep-going", "--resize",
                                       "--crop", "--size", "--scale", "--mean", "--std", "--bgr", "--layout"})
        if (app.count(option) != 0) throw CLI::RequiresError(option, "--calibration");
    if (!options.ranges.empty() && app.count("--observer") != 0) throw CLI::ExcludesError("--ranges", "--observer");
    check_parameters(options.calibration.observer);
    if (app.count("--trial-samples") != 0 && !options.analyze && !options.keep_fewest && options.html.empty())
      throw CLI::RequiresError("--trial-samples", "--analyze, --min-agreement or --min-cosine");
    for (const auto* a : {&options.output, &options.save_ranges, &options.report})
      for (const auto* b : {&options.save_ranges, &options.report, &options.html})
        if (a != b && is_one_file(*a, *b))
          throw CLI::ValidationError("two outputs are one file", a->string());
    if (options.try_observers) options.calibration.observer.name = "percentile";  // one that gathers histograms
    if (weights == "per-tensor") options.weights.granularity = graft::Granularity::per_tensor;
    if (clip_weights) options.weights.clipping = graft::Clipping::squared_error;
    if (reduce_range) options.weights.bits = 7;
    for (const std::string& pattern : excluded) options.excluded.push_back(name_pattern("--exclude", pattern));
    for (const std::string& given : given_ranges) options.given_ranges.push_back(range_override(given));
    for (const std::string& given : given_weights)
      options.given_weights.push_back(weight_override(given, options.weights));
    for (const std::string& given : given_activations)
      options.given_activations.push_back(activation_override(given));
    try {
      options.target = graft::targets::named(target);
    } catch (const graft::Error& error) {
      throw CLI::ValidationError("--target", error.message());
    }
    if (!activations.empty())
      options.target = graft::with_activations(*options.target, activation_dtypes().at(activations));
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}
