#pragma once
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <graft/quantize.hpp>

#include "graft-quantize/option_meanings.hpp"
#include "support/calibration.hpp"
#include "support/help_section.hpp"
#include "support/option_values.hpp"
#include "support/writable.hpp"

/// What the command line asks for.
struct Options {
  std::filesystem::path model, output, ranges, save_ranges, report, html;
  Calibration calibration;
  std::shared_ptr<const graft::Target> table;  // of which the target is a copy
  std::optional<graft::Target> target;
  graft::QuantizeOptions quantize;
  bool analyzes_layers = false, explain = false, verbose = false, dry_run = false;
};

/// The command line: reads its options, refuses those that do not go together, and makes Options of them.
class CommandLine {
 public:
  CommandLine() {
    add_files();
    add_what_is_quantized();
    add_ranges_and_weights();
    add_accuracy();
    add_fast();
    add_weight_only();
    add_format();
    add_samples();
    add_reports();
  }

  CLI::App& app() { return app_; }

  /// Throws CLI::ParseError on wrong usage.
  Options parse(int argc, char** argv) {
    app_.parse(argc, argv);
    check_files();
    check_samples();
    if (fast_) choose_fast();
    if (options_.calibration.observer.name) choose(options_.calibration.observer, quantize_);
    choose_weights();
    choose_mode();
    for (const std::string& pattern : excluded_) quantize_.exclude.push_back(name_pattern("--exclude", pattern));
    for (const std::string& given : ranges_given_) quantize_.range_overrides.push_back(range_override(given));
    for (const std::string& given : bits_given_) quantize_.bit_widths.push_back(bit_width(given));
    for (const std::string& given : activations_given_)
      quantize_.activation_overrides.push_back(activation_override(given));
    const bool has_any_width =
        quantize_.format == graft::QuantizedFormat::qcdq || quantize_.format == graft::QuantizedFormat::qonnx;
    if (!bits_given_.empty() && !has_any_width) throw CLI::RequiresError("--bits", "--format qonnx or qcdq");
    if (is_direct()) check_direct();
    choose_target();
    return std::move(options_);
  }

 private:
  void add_files() {
    app_.add_option("MODEL", options_.model, "the float model")->required();
    app_.add_option("-o,--output", options_.output, "write the quantized model to this file");
    app_.add_flag("--dry-run", options_.dry_run, "do everything but write the model");
    calibration_ = app_.add_option("--calibration", options_.calibration.data, calibration_help);
    app_.add_option("--ranges", options_.ranges, "use saved ranges instead of calibrating");
    app_.add_option("--save-ranges", options_.save_ranges, "save the ranges to this file");
    app_.add_option("--target", target_,
                    "the runtime: ort-cpu-x64, ort-cpu-amx (with AMX), ort-cpu-avx2 (without VNNI), ort-cpu-arm64, "
                    "onednn, openvino-cpu or paper; ONNX Runtime as of a release, ort-cpu-x64@1.32; or a file.json "
                    "with costs of your own, as graft-tune --costs writes it; by default ONNX Runtime on this machine")
        ->capture_default_str();
  }

  void add_what_is_quantized() {
    const HelpSection section(app_, "What is quantized");
    const auto place = [this](const std::string& name) { quantize_.placement = placement_named(name); };
    app_.add_option_function<std::string>("--placement", place,
                                          "where Q/DQ pairs go; min-cost leaves in float what gains nothing")
        ->transform(present_placement_name)
        ->check(one_of(names_of(placements)))
        ->default_str(name_of(quantize_.placement));
    app_.add_flag("--static", static_,
                  "do not try products dynamic, with activations quantized as the model runs, nor weight-only, with "
                  "activations in float; by default both are tried");
    app_.add_flag("--dynamic", dynamic_,
                  "quantize activations as the model runs; samples are not needed, and only measure accuracy");
    weight_only_ = app_.add_option("--weight-only", blocks_.form.bits,
                                   "leave activations in float, and store weights in so many bits")
                       ->type_name("BITS")
                       ->check(CLI::IsMember({2, 4, 8}))
                       ->excludes("--dynamic");
    add_repeatable(app_, "--exclude", excluded_, "NAME",
                   "leave nodes in float, by name or by a regular expression of the whole name; repeatable");
    app_.add_flag("--exclude-ends", quantize_.exclude_ends, "leave the first and the last quantized operator in float");
    app_.add_flag("--commute", quantize_.commute, "move DQ past activations that the target defers");
    app_.add_flag("--keep-overridable", keep_overridable_,
                  "leave initializers that callers may override as they are; by default they become constants");
  }

  void add_ranges_and_weights() {
    const HelpSection section(app_, "Ranges and weights");
    add_observer_options(app_, options_.calibration.observer, "several are tried; with --fast min-max");
    add_repeatable(app_, "--set-range", ranges_given_, "NAME=MIN,MAX",
                   "range of tensors, by name or regular expression; repeatable");
    app_.add_option("--activations", activations_,
                    "dtype of activations, by default the target's; 16 bits need opset 21")
        ->check(one_of(names_of(activation_dtypes())));
    add_repeatable(app_, "--activations-of", activations_given_, "NAME=DTYPE",
                   "dtype of tensors, as in head.*=u16; repeatable");
    app_.add_option("--weights", weights_, "one scale per output channel or per tensor")
        ->check(one_of({"per-channel", "per-tensor"}))
        ->capture_default_str();
    auto* const bits = app_.add_option("--weight-bits", form_.bits, "bits that weights use, of 8")
                           ->check(CLI::Range(2, 8))
                           ->default_str("as many as the target takes");
    app_.add_flag("--reduce-range", reduce_range_, "7 bits")->excludes(bits);
    app_.add_flag("--clip-weights", clip_weights_, "clip weights where that reduces their squared error");
    add_repeatable(app_, "--weights-of", weights_given_, "NAME=FORM",
                   "weights of nodes: per-tensor or per-channel, bits, clip, as in head.*=per-tensor,6,clip; "
                   "repeatable");
  }

  void add_accuracy() {
    const HelpSection section(app_, "Accuracy");
    fast_flag_ = app_.add_flag("--fast", fast_, "use min-max ranges and try nothing else");
    agreement_ = app_.add_option("--min-agreement", goal_.agreement,
                                 "leave as few layers in float as this share of equal decisions requires")
                     ->check(CLI::Range(0.0, 1.0))
                     ->needs(calibration_);
    cosine_ = app_.add_option("--min-cosine", goal_.cosine, "the same for the cosine of the outputs")
                  ->check(CLI::Range(-1.0, 1.0))
                  ->needs(calibration_);
    app_.add_option("--trial-samples", quantize_.layer_trials.samples,
                    "samples on which --analyze, --min-agreement and --min-cosine try each layer")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app_.add_option("--search-runs", quantize_.search_runs,
                    "how often a sample may run in search of better ranges or, where outputs are poor, of layers to "
                    "leave in float; 0: never")
        ->capture_default_str();
  }

  void add_fast() {
    const HelpSection section(app_, "With --fast");
    const auto add = [this](const char* name, bool& value, const char* help) {
      return app_.add_flag(name, value, help)->needs(fast_flag_)->needs(calibration_);
    };
    add("--zero-dead-channels", zero_dead_channels_, "zero the weights of channels that are constant on the samples");
    add("--equalize", equalize_, "equalize the weights of neighbours");
    add("--smooth", smooth_, "move outliers from activations of MatMul and Gemm to weights");
    add("--correct-biases", correct_biases_, "subtract from biases what rounding the weights adds on average");
    add("--try-observers", try_observers_, "keep the observer whose outputs are nearest to float")
        ->excludes("--observer")
        ->excludes("--ranges");
  }

  void add_weight_only() {
    const HelpSection section(app_, "With --weight-only");
    const std::map<std::string, graft::BlockMethod> methods{{"rtn", graft::BlockMethod::nearest},
                                                            {"search", graft::BlockMethod::search},
                                                            {"gptq", graft::BlockMethod::gptq}};
    app_.add_option("--block", blocks_.form.block_size, "weights that share a scale, 16 to 256")
        ->needs(weight_only_)
        ->capture_default_str();
    add_choice(app_, "--method", blocks_.method, methods,
               "how they are rounded: rtn (to nearest), search (least squares) or gptq")
        ->needs(weight_only_)
        ->default_str("gptq with samples, else search");
    app_.add_flag("--symmetric", blocks_.form.symmetric, "no zero points")->needs(weight_only_);
    app_.add_option("--table-bits", blocks_.table_bits, "bits of tables that Gather reads: 4 or 8")
        ->check(CLI::IsMember({4, 8}))
        ->needs(weight_only_)
        ->default_str("as many as weights");
    app_.add_flag("--standard", standard_, "DequantizeLinear of opset 21, not MatMulNBits")
        ->needs(weight_only_)
        ->excludes("--table-bits");
    app_.add_option("--accuracy-level", blocks_.accuracy_level,
                    "1: activations in float32; 4: quantized to int8 as the model runs")
        ->check(CLI::IsMember({1, 4}))
        ->needs(weight_only_)
        ->default_str("4, unless samples show that it loses more than the weights do");
  }

  void add_format() {
    const HelpSection section(app_, "Formats");
    add_choice(app_, "--format", quantize_.format, std::map(formats.begin(), formats.end()),
               "what the model is written in: qdq, qcdq (with Clip), qonnx (Quant) or qop (QLinearConv ...)")
        ->default_str("qdq");
    add_repeatable(app_, "--bits", bits_given_, "NAME=BITS",
                   "with --format qonnx or qcdq: bits of activations, as in head.*=4; repeatable; those of weights: "
                   "--weights-of");
  }

  void add_samples() {
    const HelpSection section(app_, "Samples and images");
    add_sample_options(app_, options_.calibration);
    samples_ = section.options();
  }

  void add_reports() {
    const HelpSection section(app_, "Reports");
    app_.add_flag("--analyze", options_.analyzes_layers,
                  "report which tensors and layers lose most accuracy; runs samples for each layer")
        ->needs(calibration_);
    app_.add_flag("--explain", options_.explain, "print why each node was left in float");
    app_.add_flag("--verbose", options_.verbose, "print the passes and what each did");
    app_.add_option("--report", options_.report, "write a report as JSON");
    app_.add_option("--html", options_.html, "write a report as an HTML page; runs the samples again");
  }

  bool is_direct() const { return dynamic_ || weight_only_->count() != 0; }
  bool has_samples() const { return !options_.calibration.data.empty(); }
  bool has_goal() const { return agreement_->count() + cosine_->count() != 0; }

  void check_files() const {
    if (options_.output.empty() && !options_.dry_run) throw CLI::RequiredError("--output (or --dry-run)");
    if (!is_direct() && !has_samples() && options_.ranges.empty())
      throw CLI::RequiredError("--calibration or --ranges");
    const bool runs_samples = !fast_ || correct_biases_ || zero_dead_channels_ || options_.analyzes_layers ||
                              has_goal() || !options_.html.empty();
    if (!options_.ranges.empty()) {
      if (has_samples() && !runs_samples) throw CLI::ExcludesError("--ranges", "--calibration");
      if (equalize_) throw CLI::ExcludesError("--ranges", "--equalize");
      if (smooth_) throw CLI::ExcludesError("--ranges", "--smooth");
    }
    for (const auto* a : {&options_.output, &options_.save_ranges, &options_.report})
      for (const auto* b : {&options_.save_ranges, &options_.report, &options_.html})
        if (a != b && is_one_file(*a, *b)) throw CLI::ValidationError("two outputs are one file", a->string());
  }

  void check_samples() const {
    if (!has_samples()) {
      for (const char* const option : {"--observer", "--percent", "--weight"})
        if (app_.count(option) != 0) throw CLI::RequiresError(option, "--calibration");
      for (const CLI::Option* const option : samples_)
        if (option->count() != 0) throw CLI::RequiresError(option->get_name(), "--calibration");
    }
    if (!options_.ranges.empty() && app_.count("--observer") != 0) throw CLI::ExcludesError("--ranges", "--observer");
    check_parameters(options_.calibration.observer);
    if (app_.count("--trial-samples") != 0 && !options_.analyzes_layers && !has_goal() && options_.html.empty())
      throw CLI::RequiresError("--trial-samples", "--analyze, --min-agreement or --min-cosine");
  }

  void choose_fast() {
    quantize_.observers = try_observers_ ? graft::usual_range_choices() : std::vector<graft::RangeChoice>();
    if (!try_observers_ && !options_.html.empty())  // which shows histograms
      quantize_.observers = {graft::RangeChoice::of("min-max", graft::MinMax())};
    quantize_.correct_biases = correct_biases_;
    quantize_.equalize = equalize_;
    quantize_.smooth = smooth_;
    quantize_.zero_dead_channels = zero_dead_channels_;
    quantize_.compare = false;
  }

  void choose_weights() {
    if (weights_ == "per-tensor") form_.granularity = graft::Granularity::per_tensor;
    if (clip_weights_) form_.clipping = graft::Clipping::squared_error;
    if (reduce_range_) form_.bits = 7;
    std::vector<graft::WeightFormOverride> own_forms;
    for (const std::string& given : weights_given_) own_forms.push_back(weight_override(given, form_));
    const graft::WeightForms forms(form_, std::move(own_forms));
    if (dynamic_) quantize_.mode = graft::DynamicOptions{.weights = forms};
    else quantize_.weights = forms;
  }

  void choose_mode() {
    if (has_goal()) quantize_.goal = goal_;
    quantize_.freeze_inputs = !keep_overridable_;
    quantize_.analyze = options_.analyzes_layers || !options_.html.empty();
    quantize_.layer_trials.none = !options_.analyzes_layers && !quantize_.goal;
    if (static_) quantize_.mode = graft::StaticQuantization{};
    if (weight_only_->count() == 0) return;
    if (app_.count("--method") == 0 && has_samples()) blocks_.method = graft::BlockMethod::gptq;
    if (blocks_.method == graft::BlockMethod::gptq && !has_samples())
      throw CLI::RequiresError("--method gptq", "--calibration");
    if (standard_) blocks_.operators = graft::BlockOperators::standard;
    try {
      blocks_.form.check();
    } catch (const graft::Error& error) {
      throw CLI::ValidationError("--block", error.message());
    }
    quantize_.mode = blocks_;
  }

  /// Throws for options of this program that static quantization alone can heed; the library knows its own.
  void check_direct() const {
    const char* const mode = weight_only_->count() != 0 ? "--weight-only" : "--dynamic";
    for (const char* const option : {"--save-ranges", "--fast", "--activations", "--html", "--static"})
      if (app_.count(option) != 0) throw CLI::ExcludesError(mode, option);
    try {
      graft::check_options(quantize_);
    } catch (const graft::Error& error) {
      throw CLI::ExcludesError(mode, option_of(error.field()));
    }
  }

  void choose_target() {
    try {
      options_.table = graft::targets::named_or_loaded(target_);
      options_.target = *options_.table;
    } catch (const graft::Error& error) {
      throw CLI::ValidationError("--target", error.file().empty() ? error.message() : error.what());
    }
    if (!activations_.empty())
      options_.target = graft::with_activations(*options_.target, activation_dtypes().at(activations_));
  }

  CLI::App app_{"Quantizes an ONNX model to 8 bits, with Q/DQ where the runtime fuses it and gains by it.",
                "graft-quantize"};
  Options options_;
  graft::QuantizeOptions& quantize_ = options_.quantize;
  std::string target_{graft::targets::ort_cpu_here().name};  // this machine's
  std::string activations_, weights_ = "per-channel";
  graft::WeightForm form_ = graft::Granularity::per_channel;
  graft::BlockwiseOptions blocks_;
  graft::FidelityGoal goal_;
  std::vector<std::string> excluded_, ranges_given_, weights_given_, activations_given_, bits_given_;
  std::vector<CLI::Option*> samples_;
  CLI::Option *calibration_ = nullptr, *fast_flag_ = nullptr, *weight_only_ = nullptr, *agreement_ = nullptr,
              *cosine_ = nullptr;
  bool static_ = false, dynamic_ = false, standard_ = false, keep_overridable_ = false, clip_weights_ = false,
       reduce_range_ = false;
  bool fast_ = false, zero_dead_channels_ = false, equalize_ = false, smooth_ = false, correct_biases_ = false,
       try_observers_ = false;
};

/// Exits with 0 after --help, with 2 on wrong usage.
inline Options parse_options(int argc, char** argv) {
  CommandLine line;
  try {
    return line.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(line.app().exit(error) == 0 ? 0 : 2);
  }
}
