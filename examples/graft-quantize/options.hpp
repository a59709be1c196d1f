#pragma once
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>

#include <graft/quantize.hpp>

#include "support/calibration.hpp"
#include "support/option_values.hpp"
#include "support/writable.hpp"

inline const std::vector<std::pair<std::string, graft::Placement>> placements{
    {"min-cost", graft::Placement::min_cost},
    {"all-supported", graft::Placement::all_supported},
    {"conv-only", graft::Placement::conv_only},
    {"fusion-aware", graft::Placement::fusion_aware},
    {"naive", graft::Placement::naive}};

/// Two of them had other names in earlier versions, which are still accepted.
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
  std::shared_ptr<const graft::Target> table;  // of which the target is a copy
  std::optional<graft::Target> target;
  graft::QuantizeOptions quantize;
  bool analyzes_layers = false, explain = false, verbose = false, dry_run = false;
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

/// The observer that is named: of histograms if it can be.
inline void choose(const ObserverChoice& choice, graft::QuantizeOptions& options) {
  const bool had_histograms = !options.observers.empty();
  options.observers.clear();
  std::visit(
      [&](const auto& observer) {
        options.observer = observer;
        if constexpr (requires(const graft::Histogram& seen) { observer.range(seen); })
          if (had_histograms) options.observers = {graft::RangeChoice::of(*choice.name, observer)};
      },
      choice.observer());
}

inline const std::vector<std::pair<std::string, graft::QuantizedFormat>> formats{
    {"qdq", graft::QuantizedFormat::qdq},
    {"qcdq", graft::QuantizedFormat::qcdq},
    {"qonnx", graft::QuantizedFormat::qonnx},
    {"qop", graft::QuantizedFormat::quantized_operators}};

/// Of NAME=BITS.
inline graft::qonnx::BitWidth bit_width(const std::string& text) {
  const auto equals = text.rfind('=');
  float bits = 0;
  if (equals == std::string::npos || !CLI::detail::lexical_cast(text.substr(equals + 1), bits) || !(bits >= 1) ||
      bits > 32)
    throw CLI::ValidationError("--bits", "wanted NAME=BITS with 1 to 32 bits, got " + text);
  return {name_pattern("--bits", text.substr(0, equals)), bits};
}

/// The option of this program that sets one of QuantizeOptions.
inline std::string option_of(std::string field) {
  const std::map<std::string, std::string> others{
      {"range_overrides", "--set-range"}, {"activation_overrides", "--activations-of"}, {"bit_widths", "--bits"},
      {"observers", "--observer"}, {"goal", "--min-cosine or --min-agreement"}};
  const auto found = others.find(field);
  std::replace(field.begin(), field.end(), '_', '-');
  return found != others.end() ? found->second : "--" + field;
}

/// Throws for options of this program that static quantization alone can heed; the library knows its own.
inline void check_direct(const CLI::App& app, const graft::QuantizeOptions& quantize) {
  const char* const mode = app.count("--weight-only") != 0 ? "--weight-only" : "--dynamic";
  for (const char* const option : {"--save-ranges", "--fast", "--activations", "--html", "--static"})
    if (app.count(option) != 0) throw CLI::ExcludesError(mode, option);
  try {
    graft::check_options(quantize);
  } catch (const graft::Error& error) {
    throw CLI::ExcludesError(mode, option_of(error.field()));
  }
}

/// Fills the options; exits with 0 after --help, with 2 on wrong usage.
inline Options parse_options(int argc, char** argv) {
  Options options;
  CLI::App app("Quantizes an ONNX model to 8 bits, with Q/DQ where the runtime fuses it and gains by it.",
               "graft-quantize");
  app.add_option("MODEL", options.model, "the float model")->required();
  app.add_option("-o,--output", options.output, "write the quantized model to this file");
  auto* const calibration = app.add_option("--calibration", options.calibration.data, calibration_help);
  app.add_option("--ranges", options.ranges, "use saved ranges instead of calibrating");
  app.add_option("--save-ranges", options.save_ranges, "save the ranges to this file");
  graft::QuantizeOptions& quantize = options.quantize;
  bool fast = false, keep_overridable = false;
  auto* const fast_flag = app.add_flag("--fast", fast, "use min-max ranges and try nothing else");
  std::string target(graft::targets::ort_cpu_here().name);  // this machine's
  app.add_option("--target", target,
                 "the runtime: ort-cpu-x64, ort-cpu-amx (with AMX), ort-cpu-avx2 (without VNNI), ort-cpu-arm64, "
                 "onednn, openvino-cpu or paper; ONNX Runtime as of a release, ort-cpu-x64@1.32; or a file.json with "
                 "costs of your own, as graft-tune --costs writes it; by default ONNX Runtime on this machine")
      ->capture_default_str();
  std::string activations;
  app.add_option("--activations", activations, "dtype of activations, by default the target's; 16 bits need opset 21")
      ->check(one_of(names_of(activation_dtypes())));
  std::string weights = "per-channel";
  const auto place = [&](const std::string& name) { quantize.placement = placement_named(name); };
  app.add_option_function<std::string>("--placement", place,
                                       "where Q/DQ pairs go; min-cost leaves in float what gains nothing")
      ->transform(present_placement_name)
      ->check(one_of(names_of(placements)))
      ->default_str(name_of(quantize.placement));
  app.add_flag("--commute", quantize.commute, "move DQ past activations that the target defers");
  app.add_option("--weights", weights, "one scale per output channel or per tensor")
      ->check(one_of({"per-channel", "per-tensor"}))
      ->capture_default_str();
  bool is_static = false, dynamic = false;
  app.add_flag("--static", is_static,
               "do not try products dynamic, with activations quantized as the model runs, nor weight-only, with "
               "activations in float; by default both are tried");
  app.add_flag("--dynamic", dynamic,
               "quantize activations as the model runs; samples are not needed, and only measure accuracy");
  graft::BlockwiseOptions blocks;
  const std::map<std::string, graft::BlockMethod> methods{{"rtn", graft::BlockMethod::nearest},
                                                          {"search", graft::BlockMethod::search},
                                                          {"gptq", graft::BlockMethod::gptq}};
  auto* const weight_only =
      app.add_option("--weight-only", blocks.form.bits, "leave activations in float, and store weights in so many bits")
          ->type_name("BITS")
          ->check(CLI::IsMember({2, 4, 8}))
          ->excludes("--dynamic");
  app.add_option("--block", blocks.form.block_size, "with --weight-only: weights that share a scale, 16 to 256")
      ->needs(weight_only)
      ->capture_default_str();
  add_choice(app, "--method", blocks.method, methods,
             "with --weight-only: how they are rounded: rtn (to nearest), search (least squares) or gptq")
      ->needs(weight_only)
      ->default_str("gptq with samples, else search");
  app.add_flag("--symmetric", blocks.form.symmetric, "with --weight-only: no zero points")->needs(weight_only);
  app.add_option("--table-bits", blocks.table_bits, "with --weight-only: bits of tables that Gather reads: 4 or 8")
      ->check(CLI::IsMember({4, 8}))
      ->needs(weight_only)
      ->default_str("as many as weights");
  bool standard = false;
  app.add_flag("--standard", standard, "with --weight-only: DequantizeLinear of opset 21, not MatMulNBits")
      ->needs(weight_only)
      ->excludes("--table-bits");
  app.add_option("--accuracy-level", blocks.accuracy_level,
                 "with --weight-only: 1: activations in float32; 4: quantized to int8 as the model runs")
      ->check(CLI::IsMember({1, 4}))
      ->needs(weight_only)
      ->default_str("4, unless samples show that it loses more than the weights do");
  std::vector<std::string> excluded, given_ranges, given_weights, given_activations, given_bits;
  add_repeatable(app, "--activations-of", given_activations, "NAME=DTYPE",
                 "dtype of tensors, as in head.*=u16; repeatable");
  add_repeatable(app, "--exclude", excluded, "NAME",
                 "leave nodes in float, by name or by a regular expression of the whole name; repeatable");
  app.add_flag("--exclude-ends", quantize.exclude_ends, "leave the first and the last quantized operator in float");
  add_repeatable(app, "--set-range", given_ranges, "NAME=MIN,MAX",
                 "range of tensors, by name or regular expression; repeatable");
  add_choice(app, "--format", quantize.format, std::map(formats.begin(), formats.end()),
             "what the model is written in: qdq, qcdq (with Clip), qonnx (Quant) or qop (QLinearConv ...)")
      ->default_str("qdq");
  add_repeatable(app, "--bits", given_bits, "NAME=BITS",
                 "with --format qonnx or qcdq: bits of activations, as in head.*=4; repeatable; those of weights: "
                 "--weights-of");
  graft::WeightForm form = graft::Granularity::per_channel;
  bool clip_weights = false, reduce_range = false;
  auto* const bits = app.add_option("--weight-bits", form.bits, "bits that weights use, of 8")
                         ->check(CLI::Range(2, 8))
                         ->default_str("as many as the target takes");
  app.add_flag("--reduce-range", reduce_range, "7 bits")->excludes(bits);
  app.add_flag("--clip-weights", clip_weights, "clip weights where that reduces their squared error");
  add_repeatable(app, "--weights-of", given_weights, "NAME=FORM",
                 "weights of nodes: per-tensor or per-channel, bits, clip, as in head.*=per-tensor,6,clip; repeatable");
  bool zero_dead_channels = false, equalize = false, smooth = false, correct_biases = false, try_observers = false;
  app.add_flag("--zero-dead-channels", zero_dead_channels,
               "with --fast: zero the weights of channels that are constant on the samples")
      ->needs(fast_flag)
      ->needs(calibration);
  app.add_flag("--equalize", equalize, "with --fast: equalize the weights of neighbours")
      ->needs(fast_flag)
      ->needs(calibration);
  app.add_flag("--smooth", smooth, "with --fast: move outliers from activations of MatMul and Gemm to weights")
      ->needs(fast_flag)
      ->needs(calibration);
  app.add_flag("--correct-biases", correct_biases,
               "with --fast: subtract from biases what rounding the weights adds on average")
      ->needs(fast_flag)
      ->needs(calibration);
  graft::FidelityGoal goal;
  app.add_flag("--analyze", options.analyzes_layers,
               "report which tensors and layers lose most accuracy; runs samples for each layer")
      ->needs(calibration);
  auto* const agreement =
      app.add_option("--min-agreement", goal.agreement,
                     "leave as few layers in float as this share of equal decisions requires")
          ->check(CLI::Range(0.0, 1.0))
          ->needs(calibration);
  auto* const cosine = app.add_option("--min-cosine", goal.cosine, "the same for the cosine of the outputs")
                           ->check(CLI::Range(-1.0, 1.0))
                           ->needs(calibration);
  app.add_option("--trial-samples", quantize.layer_trials.samples,
                 "samples on which --analyze, --min-agreement and --min-cosine try each layer")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--search-runs", quantize.search_runs,
                 "where outputs are poor: how often a sample may run in search of layers to leave in float; 0: never")
      ->capture_default_str();
  app.add_flag("--keep-overridable", keep_overridable,
               "leave initializers that callers may override as they are; by default they become constants");
  app.add_option("--report", options.report, "write a report as JSON");
  app.add_option("--html", options.html, "write a report as an HTML page; runs the samples again");
  app.add_flag("--explain", options.explain, "print why each node was left in float");
  app.add_flag("--verbose", options.verbose, "print the passes and what each did");
  app.add_flag("--dry-run", options.dry_run, "do everything but write the model");
  add_observer_options(app, options.calibration.observer, "several are tried; with --fast min-max");
  app.add_flag("--try-observers", try_observers, "with --fast: keep the observer whose outputs are nearest to float")
      ->needs(fast_flag)
      ->needs(calibration)
      ->excludes("--observer")
      ->excludes("--ranges");
  add_sample_options(app, options.calibration);

  try {
    app.parse(argc, argv);
    if (options.output.empty() && !options.dry_run) throw CLI::RequiredError("--output (or --dry-run)");
    const bool is_direct = dynamic || weight_only->count() != 0;
    if (!is_direct && options.calibration.data.empty() && options.ranges.empty())
      throw CLI::RequiredError("--calibration or --ranges");
    if (agreement->count() + cosine->count() != 0) quantize.goal = goal;
    const bool runs_samples = !fast || correct_biases || zero_dead_channels || options.analyzes_layers ||
                              quantize.goal || !options.html.empty();
    if (!options.calibration.data.empty() && !options.ranges.empty() && !runs_samples)
      throw CLI::ExcludesError("--ranges", "--calibration");
    if (!options.ranges.empty() && equalize) throw CLI::ExcludesError("--ranges", "--equalize");
    if (!options.ranges.empty() && smooth) throw CLI::ExcludesError("--ranges", "--smooth");
    if (options.calibration.data.empty())
      for (const char* const option : {"--observer", "--percent", "--weight", "--threads", "--keep-going", "--skip-nan",
                                       "--resize", "--crop", "--size", "--scale", "--mean", "--std", "--bgr",
                                       "--layout"})
        if (app.count(option) != 0) throw CLI::RequiresError(option, "--calibration");
    if (!options.ranges.empty() && app.count("--observer") != 0) throw CLI::ExcludesError("--ranges", "--observer");
    check_parameters(options.calibration.observer);
    if (app.count("--trial-samples") != 0 && !options.analyzes_layers && !quantize.goal && options.html.empty())
      throw CLI::RequiresError("--trial-samples", "--analyze, --min-agreement or --min-cosine");
    for (const auto* a : {&options.output, &options.save_ranges, &options.report})
      for (const auto* b : {&options.save_ranges, &options.report, &options.html})
        if (a != b && is_one_file(*a, *b)) throw CLI::ValidationError("two outputs are one file", a->string());
    if (fast) {
      const bool has_histograms = try_observers || !options.html.empty();
      quantize.observers = try_observers ? graft::usual_range_choices() : std::vector<graft::RangeChoice>();
      if (!try_observers && has_histograms) quantize.observers = {graft::RangeChoice::of("min-max", graft::MinMax())};
      quantize.correct_biases = correct_biases;
      quantize.equalize = equalize;
      quantize.smooth = smooth;
      quantize.zero_dead_channels = zero_dead_channels;
      quantize.compare = false;
    }
    if (options.calibration.observer.name) choose(options.calibration.observer, quantize);
    if (weights == "per-tensor") form.granularity = graft::Granularity::per_tensor;
    if (clip_weights) form.clipping = graft::Clipping::squared_error;
    if (reduce_range) form.bits = 7;
    quantize.freeze_inputs = !keep_overridable;
    quantize.analyze = options.analyzes_layers || !options.html.empty();
    quantize.layer_trials.none = !options.analyzes_layers && !quantize.goal;
    for (const std::string& pattern : excluded) quantize.exclude.push_back(name_pattern("--exclude", pattern));
    for (const std::string& given : given_ranges) quantize.range_overrides.push_back(range_override(given));
    std::vector<graft::WeightFormOverride> own_forms;
    for (const std::string& given : given_weights) own_forms.push_back(weight_override(given, form));
    const graft::WeightForms forms(form, std::move(own_forms));
    if (!dynamic) quantize.weights = forms;
    if (is_static) quantize.mode = graft::StaticQuantization{};
    if (dynamic) quantize.mode = graft::DynamicOptions{.weights = forms};
    if (weight_only->count() != 0) {
      if (app.count("--method") == 0 && !options.calibration.data.empty()) blocks.method = graft::BlockMethod::gptq;
      if (blocks.method == graft::BlockMethod::gptq && options.calibration.data.empty())
        throw CLI::RequiresError("--method gptq", "--calibration");
      if (standard) blocks.operators = graft::BlockOperators::standard;
      try {
        blocks.form.check();
      } catch (const graft::Error& error) {
        throw CLI::ValidationError("--block", error.message());
      }
      quantize.mode = blocks;
    }
    for (const std::string& given : given_bits) quantize.bit_widths.push_back(bit_width(given));
    const bool has_any_width = quantize.format == graft::QuantizedFormat::qcdq ||
                               quantize.format == graft::QuantizedFormat::qonnx;
    if (!given_bits.empty() && !has_any_width) throw CLI::RequiresError("--bits", "--format qonnx or qcdq");
    for (const std::string& given : given_activations)
      quantize.activation_overrides.push_back(activation_override(given));
    if (is_direct) check_direct(app, quantize);
    try {
      options.table = graft::targets::named_or_loaded(target);
      options.target = *options.table;
    } catch (const graft::Error& error) {
      throw CLI::ValidationError("--target", error.file().empty() ? error.message() : error.what());
    }
    if (!activations.empty())
      options.target = graft::with_activations(*options.target, activation_dtypes().at(activations));
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}
