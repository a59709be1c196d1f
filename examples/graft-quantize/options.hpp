#pragma once
#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <graft/qonnx.hpp>
#include <graft/quantize.hpp>

#include "graft-quantize/decoding.hpp"
#include "graft-quantize/option_meanings.hpp"
#include "support/calibration.hpp"
#include "support/help_section.hpp"
#include "support/option_values.hpp"
#include "support/writable.hpp"

/// The parsed command line.
struct Options {
  std::filesystem::path model, output, ranges, save_ranges, report, html;
  Calibration calibration;
  std::vector<std::shared_ptr<const graft::Target>> tables;  // of the runtimes that the model is for
  std::optional<graft::JointTarget> runtimes;
  std::optional<graft::Target> target;  // the conjunction of these, with the activations that are asked for
  graft::QuantizeOptions quantize;
  graft::qonnx::Format format = graft::qonnx::Format::qdq;
  std::optional<DecoderOptions> decoder;
  bool analyzes_layers = false, explain = false, verbose = false, dry_run = false;
};

/// Parses the command line into Options and rejects options that contradict each other.
class CommandLine {
 public:
  CommandLine() {
    add_files();
    add_threads_option(app_, options_.calibration.threads,
                       "number of samples, or rows of weights, that are computed at the same time");
    add_what_is_quantized();
    add_ranges_and_weights();
    add_accuracy();
    add_fast();
    add_weight_only();
    add_decoder();
    add_format();
    add_samples();
    add_reports();
  }

  CLI::App& app() { return app_; }

  /// Throws CLI::ParseError for wrong usage.
  Options parse(int argc, char** argv) {
    app_.parse(argc, argv);
    check_files();
    check_samples();
    if (is_direct()) check_direct();
    choose_ranges();
    choose_static();
    choose_format();
    choose_mode();
    choose_target();
    return std::move(options_);
  }

 private:
  void add_files() {
    app_.add_option("MODEL", options_.model, "the float model")->required();
    app_.add_option("-o,--output", options_.output, "write the quantized model to this file");
    app_.add_flag("--dry-run", options_.dry_run, "run everything, but do not write the model");
    calibration_ = app_.add_option("--calibration", options_.calibration.data, calibration_help);
    app_.add_option("--ranges", options_.ranges, "read saved ranges instead of calibrating");
    app_.add_option("--save-ranges", options_.save_ranges, "save the ranges to this JSON file");
    app_.add_option("--target", targets_,
                    "the runtime: " + graft::targets::names() +
                        "; a release of ONNX Runtime, as in ort-cpu-x64@1.32; or a FILE.json with measured costs, "
                        "which graft-tune --costs writes. Several with commas: one model for all of them. "
                        "Default: ONNX Runtime on this machine")
        ->delimiter(',')
        ->type_name("NAME[,NAME...]")
        ->capture_default_str();
  }

  void add_what_is_quantized() {
    const HelpSection section(app_, "What to quantize");
    const auto place = [this](const std::string& name) { statics_.placement = placement_named(name); };
    app_.add_option_function<std::string>(
            "--placement", place, "where to place Q/DQ pairs; min-cost skips operators that would not run faster")
        ->transform(present_placement_name)
        ->check(one_of(names_of(placements)))
        ->default_str(name_of(statics_.placement));
    app_.add_flag(
        "--static", static_,
        "quantize MatMul and Gemm statically or keep them in float. By default dynamic quantization (activations "
        "are quantized during the run) and weight-only quantization (activations stay in float) are tried too");
    app_.add_flag("--dynamic", dynamic_,
                  "quantize activations during the run; samples are optional, and only measure accuracy");
    weight_only_ = app_.add_option("--weight-only", blocks_.weights.bits,
                                   "keep activations in float, and store weights with this many bits")
                       ->type_name("BITS")
                       ->check(CLI::IsMember({2, 4, 8}))
                       ->excludes("--dynamic");
    run_samples_.push_back(app_.add_option("--cache", quantize_.cache_bits,
                                           "store key-value caches of GroupQueryAttention with this many bits; inputs "
                                           "and outputs change")
                               ->type_name("BITS")
                               ->check(CLI::IsMember({4, 8})));
    add_repeatable(app_, "--exclude", excluded_, "NAME",
                   "keep nodes in float: a name, or a regular expression that matches the whole name; repeatable");
    app_.add_flag("--exclude-ends", statics_.exclude_ends, "keep the first and the last quantized operator in float");
    app_.add_flag("--commute", statics_.commute, "move DequantizeLinear behind the activations that the target defers");
    app_.add_flag("--keep-overridable", keep_overridable_,
                  "keep initializers that callers may override as inputs, in float; by default they become constants");
  }

  void add_ranges_and_weights() {
    const HelpSection section(app_, "Ranges and weights");
    add_observer_options(app_, options_.calibration.observer, "several are tried; with --fast: min-max");
    add_repeatable(app_, "--set-range", ranges_given_, "NAME=MIN,MAX",
                   "set the range of tensors: a name or a regular expression; repeatable");
    std::vector<std::string> activations = names_of(activation_dtypes());
    activations.emplace_back("mixed");
    app_.add_option("--activations", activations_,
                    "dtype of activations; default: the target's; 16 bits need opset 21; mixed: 8 bits where 16 bring "
                    "outputs no nearer")
        ->check(one_of(activations));
    add_repeatable(app_, "--activations-of", activations_given_, "NAME=DTYPE",
                   "set the dtype of tensors, as in head.*=u16; repeatable");
    app_.add_option("--weights", weights_, "one scale for each output channel, or one for each tensor")
        ->check(one_of({"per-channel", "per-tensor"}))
        ->capture_default_str();
    auto* const bits = app_.add_option("--weight-bits", form_.bits, "use only this many of the 8 bits of weights")
                           ->check(CLI::Range(2, 8))
                           ->default_str("the most that the target allows");
    app_.add_flag("--reduce-range", reduce_range_, "the same as --weight-bits 7")->excludes(bits);
    app_.add_flag("--clip-weights", clip_weights_, "clip outliers of weights where that lowers the squared error");
    add_repeatable(app_, "--weights-of", weights_given_, "NAME=FORM",
                   "set the form of the weights of nodes: per-tensor or per-channel, bits, clip, as in "
                   "head.*=per-tensor,6,clip; repeatable");
  }

  void add_accuracy() {
    const HelpSection section(app_, "Accuracy");
    fast_flag_ = app_.add_flag("--fast", fast_, "use min-max ranges, and try no other candidates");
    agreement_ = app_.add_option("--min-agreement", goal_.agreement,
                                 "required share of equal decisions; keeps as few layers in float as this needs")
                     ->check(CLI::Range(0.0, 1.0));
    cosine_ = app_.add_option("--min-cosine", goal_.cosine,
                              "required cosine of the outputs; keeps as few layers in float as this needs")
                  ->check(CLI::Range(-1.0, 1.0));
    auto* const reconstruct = app_.add_flag("--reconstruct", reconstructs_,
                                            "learn the rounding of weights, layer by layer, for weights of few bits");
    app_.add_option("--reconstruct-blocks", block_steps_,
                    "also learn blocks of layers, by so many steps of gradient descent each, as in 100")
        ->needs(reconstruct);
    app_.add_option("--minutes", minutes_, "the time limit of --reconstruct; the layers learned so far are kept")
        ->check(CLI::NonNegativeNumber)
        ->needs(reconstruct);
    bops_ = app_.add_option("--bops-at-most", at_most_,
                            "choose the bits of each weight and activation, 2 to 8, so that all bit operations are at "
                            "most so many, as in 2e9; with --format qonnx or qcdq");
    bytes_ = app_.add_option("--bytes-at-most", at_most_,
                             "choose the bits of each weight so that all weights take at most so many bytes; with "
                             "--format qonnx or qcdq")
                 ->excludes(bops_);
    for (CLI::Option* const option : {bops_, bytes_}) option->check(CLI::PositiveNumber);
    run_samples_.insert(run_samples_.end(), {agreement_, cosine_, reconstruct, bops_, bytes_});
    app_.add_option("--trial-samples", statics_.layer_trials.samples,
                    "number of samples on which --analyze, --min-agreement and --min-cosine try each layer")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app_.add_option(
            "--search-runs", statics_.search_runs,
            "limit, in runs of one sample, of the search for better ranges and, if outputs are poor, for layers to "
            "keep in float; 0: no search")
        ->capture_default_str();
  }

  void add_fast() {
    const HelpSection section(app_, "Only with --fast");
    const auto add = [this](const char* name, bool& value, const char* help) {
      return run_samples_.emplace_back(app_.add_flag(name, value, help)->needs(fast_flag_));
    };
    add("--zero-dead-channels", zero_dead_channels_,
        "set the weights of channels that are constant on the samples to 0");
    add("--equalize", equalize_, "equalize the weights of consecutive layers");
    add("--smooth", smooth_, "scale outliers out of the activations of MatMul and Gemm into their weights");
    add("--correct-biases", correct_biases_, "subtract from biases the mean error that rounded weights cause");
    add("--try-observers", try_observers_, "try all observers, and keep the one whose outputs are nearest to float")
        ->excludes("--observer")
        ->excludes("--ranges");
  }

  void add_weight_only() {
    const HelpSection section(app_, "Only with --weight-only");
    const std::map<std::string, graft::BlockMethod> methods{{"rtn", graft::BlockMethod::nearest},
                                                            {"search", graft::BlockMethod::search},
                                                            {"gptq", graft::BlockMethod::gptq}};
    app_.add_option("--block", blocks_.weights.block_size,
                    "number of weights that share a scale: a power of two from 16 to 256")
        ->needs(weight_only_)
        ->capture_default_str();
    add_choice(app_, "--method", blocks_.method, methods,
               "how weights are rounded: rtn (to nearest), search (least squares) or gptq")
        ->needs(weight_only_)
        ->default_str("gptq with samples, else search");
    app_.add_option("--bits-per-weight", blocks_.bits_per_weight,
                    "the most bits of a weight on average, with scales: weights that lose most on samples get more "
                    "than others")
        ->needs(weight_only_);
    app_.add_flag("--symmetric", blocks_.weights.symmetric, "use no zero points")->needs(weight_only_);
    app_.add_option("--table-bits", blocks_.table_bits, "bits of the tables of Gather")
        ->check(CLI::IsMember({4, 8}))
        ->needs(weight_only_)
        ->default_str("those of weights; if a product reads the table too 8, or what --bits-per-weight finds");
    app_.add_flag("--standard", standard_,
                  "write DequantizeLinear of opset 21 instead of MatMulNBits: 4 bits, or 8 from ONNX Runtime 1.27 on")
        ->needs(weight_only_)
        ->excludes("--table-bits");
    app_.add_option("--accuracy-level", blocks_.accuracy_level,
                    "1: activations in float32; 4: activations quantized to int8 during the run")
        ->check(CLI::IsMember({1, 4}))
        ->needs(weight_only_)
        ->excludes("--standard")
        ->default_str("4, or 1 if 4 loses more accuracy on samples than the weights do");
  }

  void add_decoder() {
    const HelpSection section(app_, "Decoders with a key-value cache");
    auto* const decoder = app_.add_flag("--decoder", is_decoder_,
                                        "take samples from --text, and compare cross-entropy, speed and memory")
                              ->excludes(calibration_);
    const auto add = [&](const char* name, auto& value, const char* help) {
      return app_.add_option(name, value, help)->needs(decoder);
    };
    const auto add_count = [&](const char* name, std::size_t& value, const char* help, std::size_t least = 1) {
      add(name, value, help)->type_name("N")->check(CLI::Range(least, std::size_t{1} << 24))->capture_default_str();
    };
    decoder->needs(add("--text", decoder_.text, "a text in UTF-8, or a .npy with the ids of its tokens"));
    add("--tokenizer", decoder_.tokenizer, "byte-level BPE of the text")->default_str("tokenizer.json beside MODEL");
    add_count("--tokens", decoder_.tokens, "number of tokens of the text: half for samples, half to measure");
    add_count("--window", decoder_.window, "number of tokens that run at once in samples and for the cross-entropy",
              2);  // the first token of a window is not predicted
    add_count("--prompt", decoder_.prompt, "length of the prompt for the speed");
    add_count("--generate", decoder_.generate, "number of tokens behind the prompt, one at a time");
  }

  void add_format() {
    const HelpSection section(app_, "Formats");
    add_choice(app_, "--format", options_.format, std::map(formats.begin(), formats.end()),
               "operators of the output: qdq, qcdq (Q/DQ with Clip), qonnx (Quant) or qop (QLinearConv ...)")
        ->default_str("qdq");
    app_.add_option("--activation-bits", activation_bits_, "bits of activations, with --format qonnx or qcdq")
        ->check(CLI::Range(2, 8));
    add_repeatable(app_, "--bits", bits_given_, "NAME=BITS",
                   "the same for single tensors, as in head.*=4; --weights-of sets the bits of weights; repeatable");
  }

  void add_samples() {
    const HelpSection section(app_, "Samples and images");
    add_sample_options(app_, options_.calibration);
    image_options_ = section.options();
  }

  void add_reports() {
    const HelpSection section(app_, "Reports");
    run_samples_.push_back(
        app_.add_flag("--analyze", options_.analyzes_layers,
                      "report the tensors and layers that lose most accuracy; runs samples for each layer"));
    app_.add_flag("--explain", options_.explain, "print why each node stays in float");
    app_.add_flag("--verbose", options_.verbose, "print the passes and the changes of each");
    app_.add_option("--report", options_.report, "write a report to this JSON file");
    app_.add_option("--html", options_.html, "write a report to this HTML page; runs the samples again")
        ->excludes("--cache");
  }

  bool is_direct() const { return dynamic_ || weight_only_->count() != 0; }
  bool has_samples() const { return !options_.calibration.data.empty() || is_decoder_; }
  bool has_goal() const { return agreement_->count() + cosine_->count() != 0; }
  /// Of these options the first that is given; nullptr if there is none.
  static const CLI::Option* first_given(const std::vector<CLI::Option*>& options) {
    const auto found = std::ranges::find_if(options, [](const CLI::Option* option) { return option->count() != 0; });
    return found != options.end() ? *found : nullptr;
  }

  void check_files() const {
    if (options_.output.empty() && !options_.dry_run) throw CLI::RequiredError("--output (or --dry-run)");
    if (!is_direct() && !has_samples() && options_.ranges.empty())
      throw CLI::RequiredError("--calibration or --ranges");
    const bool runs_samples = !fast_ || first_given(run_samples_) != nullptr || !options_.html.empty();
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
    const CLI::Option* const of_images = first_given(image_options_);
    if (is_decoder_ && of_images != nullptr)
      throw CLI::ValidationError(of_images->get_name(), "has no effect with --decoder; leave it out");
    if (!has_samples()) {
      for (const char* const option : {"--observer", "--percent", "--weight"})
        if (app_.count(option) != 0) throw CLI::RequiresError(option, "--calibration");
      for (const CLI::Option* const option : {first_given(run_samples_), of_images})
        if (option != nullptr) throw CLI::RequiresError(option->get_name(), "--calibration");
    }
    if (!options_.ranges.empty() && app_.count("--observer") != 0) throw CLI::ExcludesError("--ranges", "--observer");
    check_parameters(options_.calibration.observer);
    if (app_.count("--trial-samples") != 0 && !options_.analyzes_layers && !has_goal() && options_.html.empty())
      throw CLI::RequiresError("--trial-samples", "--analyze, --min-agreement or --min-cosine");
  }

  void choose_ranges() {
    const ObserverChoice& observer = options_.calibration.observer;
    const bool is_min_max = observer.name ? observer.name == "min-max" : fast_ && !try_observers_;
    if (!options_.ranges.empty()) statics_.ranges = graft::load_ranges(options_.ranges.string());
    else if (is_min_max && !options_.html.empty()) statics_.ranges = MinMaxOfHistograms();
    else if (is_min_max || observer.name) statics_.ranges = method_of(observer);
    else if (activation_bits_) statics_.ranges = graft::usual_range_methods(*activation_bits_);
    for (const std::string& given : ranges_given_) statics_.range_overrides.push_back(range_override(given));
    if (activations_ == "mixed") statics_.activations = graft::Activations::mixed;
    std::vector<graft::ActivationOverride>& overrides = statics_.activation_overrides;
    if (activation_bits_) overrides.push_back({graft::NamePattern(".*"), std::nullopt, activation_bits_});
    for (const std::string& given : activations_given_) overrides.push_back(activation_override(given));
    for (const std::string& given : bits_given_) overrides.push_back(bits_override(given));
  }

  void choose_static() {
    if (fast_) {
      statics_.correct_biases = correct_biases_;
      statics_.equalize = equalize_;
      statics_.smooth = smooth_;
      statics_.zero_dead_channels = zero_dead_channels_;
      quantize_.compare = false;
    }
    if (has_goal()) statics_.goal = goal_;
    if (reconstructs_) statics_.reconstruct.emplace().block_steps = block_steps_;
    if (at_most_) {
      const bool is_bytes = bytes_->count() != 0;
      statics_.bit_budget = {is_bytes ? graft::BitCost::bytes : graft::BitCost::operations, *at_most_};
    }
    if (minutes_) statics_.reconstruct->max_seconds = 60 * *minutes_;
    statics_.analyze = options_.analyzes_layers || (!options_.html.empty() && has_samples());
    statics_.layer_trials.none = !options_.analyzes_layers && !statics_.goal;
    statics_.mix_forms = !static_ && options_.format == graft::qonnx::Format::qdq;
    statics_.weights = weights();
  }

  graft::WeightForms weights() const {
    graft::WeightForm form = form_;
    if (weights_ == "per-tensor") form.granularity = graft::Granularity::per_tensor;
    if (clip_weights_) form.clipping = graft::Clipping::squared_error;
    if (reduce_range_) form.bits = 7;
    std::vector<graft::WeightFormOverride> own_forms;
    for (const std::string& given : weights_given_) own_forms.push_back(weight_override(given, form));
    return {form, std::move(own_forms)};
  }

  void choose_format() {
    const bool has_any_width =
        options_.format == graft::qonnx::Format::qcdq || options_.format == graft::qonnx::Format::qonnx;
    for (const char* const option : {"--bits", "--activation-bits", "--bops-at-most", "--bytes-at-most"})
      if (app_.count(option) != 0 && !has_any_width) throw CLI::RequiresError(option, "--format qonnx or qcdq");
    if (quantize_.cache_bits && options_.format != graft::qonnx::Format::qdq)
      throw CLI::ValidationError("--cache", "needs --format qdq: attention has no form in the others");
    quantize_.fuse_transformers = options_.format == graft::qonnx::Format::qdq;  // others are for other runtimes
  }

  void choose_mode() {
    if (is_decoder_) options_.decoder = decoder_;
    for (const std::string& pattern : excluded_) quantize_.exclude.push_back(name_pattern("--exclude", pattern));
    quantize_.freeze_inputs = !keep_overridable_;
    if (dynamic_) quantize_.mode = graft::DynamicOptions{.weights = weights()};
    else if (weight_only_->count() == 0) quantize_.mode = statics_;
    else choose_blocks();
  }

  void choose_blocks() {
    if (app_.count("--method") == 0 && has_samples()) blocks_.method = graft::BlockMethod::gptq;
    if (blocks_.method == graft::BlockMethod::gptq && !has_samples())
      throw CLI::RequiresError("--method gptq", "--calibration");
    if (blocks_.bits_per_weight && !has_samples()) throw CLI::RequiresError("--bits-per-weight", "--calibration");
    if (standard_) blocks_.operators = graft::BlockOperators::standard;
    try {
      blocks_.check();
    } catch (const graft::Error& error) {
      throw CLI::ValidationError("--block", error.message());
    }
    quantize_.mode = blocks_;
  }

  /// Throws for options of static quantization with --dynamic or --weight-only.
  void check_direct() const {
    const bool is_blockwise = weight_only_->count() != 0;
    const auto refuse = [&](std::initializer_list<const char*> options) {
      for (const char* const option : options)
        if (app_.count(option) != 0)
          throw CLI::ValidationError(option, std::string("has no effect with ") +
                                                 (is_blockwise ? "--weight-only" : "--dynamic") + "; leave it out");
    };
    refuse({"--static", "--placement", "--commute", "--exclude-ends", "--fast", "--observer", "--ranges", "--set-range",
            "--activations", "--activations-of", "--min-agreement", "--min-cosine", "--search-runs", "--analyze",
            "--reconstruct", "--format", "--bits", "--activation-bits", "--bops-at-most", "--bytes-at-most",
            "--save-ranges", "--html"});
    if (is_blockwise) refuse({"--weights", "--weight-bits", "--reduce-range", "--clip-weights", "--weights-of"});
  }

  void choose_target() {
    const std::optional<int> cache_bits = quantize_.cache_bits;
    if (cache_bits && app_.count("--target") == 0)
      if (const auto since = graft::first_release_with_cache(graft::targets::ort_cpu_here(), *cache_bits))
        targets_.front() += "@" + to_string(*since);
    try {
      std::vector<const graft::Target*> parts;
      for (const std::string& name : targets_)
        parts.push_back(options_.tables.emplace_back(graft::targets::named_or_loaded(name)).get());
      options_.runtimes = graft::JointTarget(parts);
      options_.target = options_.runtimes->target();
      if (cache_bits) graft::check_cache(*options_.target, *cache_bits);
    } catch (const graft::Error& error) {
      throw CLI::ValidationError("--target", error.file().empty() ? error.message() : error.what());
    }
    if (!activations_.empty() && activations_ != "mixed")
      options_.target = graft::with_activations(*options_.target, activation_dtypes().at(activations_));
  }

  CLI::App app_{"Quantizes an ONNX model to 8 bits. Places Q/DQ pairs where the runtime fuses them and runs faster.",
                "graft-quantize"};
  Options options_;
  graft::QuantizeOptions& quantize_ = options_.quantize;
  std::vector<std::string> targets_{std::string(graft::targets::ort_cpu_here().name)};
  std::string activations_, weights_ = "per-channel";
  graft::WeightForm form_ = graft::Granularity::per_channel;
  graft::StaticOptions statics_;
  graft::BlockwiseOptions blocks_;
  graft::FidelityGoal goal_;
  DecoderOptions decoder_;
  std::vector<std::string> excluded_, ranges_given_, weights_given_, activations_given_, bits_given_;
  std::optional<double> minutes_, at_most_;
  std::size_t block_steps_ = 0;
  std::optional<int> activation_bits_;
  std::vector<CLI::Option*> run_samples_, image_options_;  // what samples are for, and how they are read
  CLI::Option *calibration_ = nullptr, *fast_flag_ = nullptr, *weight_only_ = nullptr, *agreement_ = nullptr,
              *cosine_ = nullptr, *bops_ = nullptr, *bytes_ = nullptr;
  bool static_ = false, dynamic_ = false, standard_ = false, keep_overridable_ = false, clip_weights_ = false,
       reduce_range_ = false, is_decoder_ = false;
  bool fast_ = false, zero_dead_channels_ = false, equalize_ = false, smooth_ = false, correct_biases_ = false,
       try_observers_ = false, reconstructs_ = false;
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
