#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <graft/rewrite.hpp>

#include "graft-optimize/orders.hpp"
#include "graft-optimize/passes.hpp"
#include "support/option_values.hpp"
#include "support/writable.hpp"

/// The parsed command line.
struct Options {
  std::filesystem::path model, output, report, surgeries, inputs;
  std::vector<Order> orders;         // of the command line; those of the file run first
  std::optional<graft::Pass> pass;   // runs after the surgeries
  std::vector<std::string> explain;  // rules
  std::size_t checks = 0;
  std::map<std::string, std::int64_t> sizes;  // of symbolic dims
  std::optional<double> tolerance;
  std::optional<graft::DType> to;  // the float type of the result
  graft::FloatOptions floats;
  bool list = false, explains_all = false, keep_duplicates = false, verbose = false, dry_run = false;
};

/// Returns f(). Turns an Error into an error of usage.
template <class F>
auto usage(const char* option, F&& f) {
  try {
    return f();
  } catch (const graft::Error& error) {
    throw CLI::ValidationError(option, error.what());
  }
}

/// Parses the command line into Options and rejects options that contradict each other.
class CommandLine {
 public:
  CommandLine() {
    app_.add_option("MODEL", options_.model, "the model");
    app_.add_option("-o,--output", options_.output, "write the result to this file");
    add_what_is_done();
    add_float_types();
    add_transformers();
    add_checks();
    add_reports();
  }

  CLI::App& app() { return app_; }

  /// Throws CLI::ParseError for wrong usage.
  Options parse(int argc, char** argv) {
    app_.parse(argc, argv);
    if (options_.list) return std::move(options_);
    check_files();
    for (const std::string& order : orders_)
      options_.orders.push_back(usage("--surgery", [&] { return order_of(order); }));
    choose_float_type();
    choose_pass();
    for (const std::string& dim : dims_) options_.sizes.insert(size_of_dim(dim));
    choose_explained();
    return std::move(options_);
  }

 private:
  void add_what_is_done() {
    only_option_ =
        add_repeatable(app_, "--only", only_, "NAME,...", "apply only these passes and rules; repeatable")
            ->delimiter(',');
    skip_option_ =
        add_repeatable(app_, "--skip", skip_, "NAME,...", "simplify without these passes and rules; repeatable")
            ->delimiter(',')
            ->excludes(only_option_);
    app_.add_option("--surgeries", options_.surgeries,
                    "perform the surgeries of this JSON file instead of simplifying");
    add_repeatable(app_, "--surgery", orders_, "NAME:PARAMETER=VALUE:...",
                   "perform this surgery, as in RenameInputs:old_names=a,b:new_names=c,d; repeatable");
    app_.add_flag("--simplify", simplify_, "simplify after the surgeries too")->excludes(only_option_);
  }

  void add_float_types() {
    const auto to = [this](graft::DType dtype) { return [this, dtype] { options_.to = dtype; }; };
    auto* const half = app_.add_flag_callback("--float16", to(graft::DType::f16),
                                              "compute in float16 wherever facts permit it");
    auto* const brain =
        app_.add_flag_callback("--bfloat16", to(graft::DType::bf16), "the same in bfloat16")->excludes(half);
    app_.add_flag_callback("--float32", to(graft::DType::f32),
                           "compute 16-bit floats in float32; inputs and outputs keep their types")
        ->excludes(half)
        ->excludes(brain);
    app_.add_flag("--keep-io", options_.floats.keep_io,
                  "keep inputs and outputs of --float16 and --bfloat16 in float32");
    add_repeatable(app_, "--keep-float", kept_, "REGEX",
                   "keep nodes whose whole name matches in float32; repeatable");
  }

  void add_transformers() {
    app_.add_option("--model-type", model_type_,
                    "simplify, and fuse operators of transformers: bert, gpt, llama, vit or auto. All do the "
                    "same, because the rules match computations, not names")
        ->check(one_of({"bert", "gpt", "llama", "vit", "auto"}))
        ->excludes(only_option_)
        ->excludes(skip_option_);
    app_.add_option("--runtime", runtime_,
                    "the runtime whose fused operators --model-type makes, and whose kernels --float16 and --bfloat16 "
                    "use: ort-cpu (default) or onnx; tensorrt for the latter two; ort-cpu-generation for the former, "
                    "for models that only generate text");
    app_.add_option("--unroll-loops", trips_, "when simplifying, unroll Loops of at most this many known iterations")
        ->check(wanted<std::int64_t>("a whole number above 0", [](std::int64_t n) { return n > 0; }))
        ->excludes(only_option_)
        ->excludes(skip_option_);
  }

  void add_checks() {
    app_.add_flag("--keep-duplicates", options_.keep_duplicates, "do not merge equal initializers after surgeries");
    app_.add_flag("--list", options_.list, "print all passes, rules and surgeries, and what each may change");
    auto* const check =
        app_.add_option("--check", options_.checks,
                        "run the model before and after on this many inputs, and compare the outputs")
            ->check(wanted<std::int64_t>("a whole number above 0", [](std::int64_t n) { return n > 0; }));
    auto* const inputs = app_.add_option("--inputs", options_.inputs,
                                         "a folder of ONNX test data for --check, instead of random inputs, and for "
                                         "--float16 and --bfloat16");
    min_cosine_ =
        app_.add_option("--min-cosine", options_.floats.min_cosine,
                        "keep more nodes in float32 until each output has at least this cosine on --inputs")
            ->check(wanted<double>("a number from 0 to 1", [](double number) { return number >= 0 && number <= 1; }))
            ->needs(inputs);
    add_repeatable(app_, "--dim", dims_, "NAME=N",
                   "the extent of a symbolic dim of random inputs; default 1; repeatable")
        ->needs(check);
    app_.add_option("--tolerance", options_.tolerance, "fail, and write no model, if --check finds a larger difference")
        ->check(wanted<double>("a number of at least 0", [](double number) { return number >= 0; }))
        ->needs(check);
  }

  void add_reports() {
    add_repeatable(app_, "--explain", options_.explain, "RULE",
                   "print for each node that the rule could match in the result why it does not; 'all': print the "
                   "nodes that rules skipped, and why; repeatable");
    app_.add_option("--report", options_.report, "write a report to this JSON file");
    app_.add_flag("--verbose", options_.verbose, "print the passes and the changes of each");
    app_.add_flag("--dry-run", options_.dry_run, "run everything, but do not write the model");
  }

  bool is_narrowed() const { return options_.to && *options_.to != graft::DType::f32; }

  void check_files() const {
    if (options_.model.empty()) throw CLI::RequiredError("MODEL");
    if (options_.output.empty() && !options_.dry_run) throw CLI::RequiredError("--output (or --dry-run)");
    if (is_one_file(options_.output, options_.report))
      throw CLI::ValidationError("two outputs are one file", options_.output.string());
    if (!options_.inputs.empty() && !is_narrowed() && options_.checks == 0)
      throw CLI::RequiredError("--inputs: --check, --float16 or --bfloat16");
  }

  void choose_float_type() {
    if (!is_narrowed()) {
      if (options_.floats.keep_io || !kept_.empty() || min_cosine_->count() != 0)
        throw CLI::RequiredError("--keep-io, --keep-float and --min-cosine: --float16 or --bfloat16");
      if (model_type_.empty() && !runtime_.empty())
        throw CLI::RequiredError("--runtime: --model-type, --float16 or --bfloat16");
      return;
    }
    const std::string target = runtime_.empty() ? "ort-cpu" : runtime_;
    options_.floats.target = usage("--runtime", [&] { return graft::float_targets::all().at(target); });
    for (const std::string& pattern : kept_)
      options_.floats.keep.push_back(usage("--keep-float", [&] { return graft::NamePattern(pattern); }));
  }

  void choose_pass() {
    const bool is_surgery = !options_.surgeries.empty() || !orders_.empty();
    if (!is_surgery || simplify_ || !only_.empty() || !skip_.empty())
      options_.pass = usage(only_.empty() ? "--skip" : "--only", [&] { return chosen_pass(only_, skip_); });
    if (!model_type_.empty())
      options_.pass = usage("--runtime", [&] { return fusing_pass(runtime_.empty() ? "ort-cpu" : runtime_); });
    if (!trips_) return;
    if (!options_.pass) throw CLI::RequiredError("--unroll-loops: --simplify");
    options_.pass = with_unrolled_loops(*options_.pass, *trips_);
  }

  void choose_explained() {
    std::erase_if(options_.explain, [&](const std::string& name) {
      if (name == "all") return options_.explains_all = true;
      const std::vector<Choice> all = choices();
      if (usage("--explain", [&] { return named(all, name, is_rule); }).pass)
        throw CLI::ValidationError("--explain", "'" + name + "' is a pass, not a rule");
      return false;
    });
  }

  CLI::App app_{"Simplifies an ONNX model, or performs surgeries that you name.", "graft-optimize"};
  Options options_;
  std::vector<std::string> only_, skip_, orders_, dims_, kept_;
  std::string model_type_, runtime_;
  std::optional<std::int64_t> trips_;
  CLI::Option *only_option_ = nullptr, *skip_option_ = nullptr, *min_cosine_ = nullptr;
  bool simplify_ = false;
};

/// Parses the options; exits with 0 after --help, with 2 on wrong usage.
inline Options parse_options(int argc, char** argv) {
  CommandLine line;
  try {
    return line.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(line.app().exit(error) == 0 ? 0 : 2);
  }
}
