#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
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

/// Parses the options; exits with 0 after --help, with 2 on wrong usage.
inline Options parse_options(int argc, char** argv) {
  Options options;
  CLI::App app("Simplifies an ONNX model, or performs surgeries that you name.", "graft-optimize");
  app.add_option("MODEL", options.model, "the model");
  app.add_option("-o,--output", options.output, "write the result to this file");
  std::vector<std::string> only, skip, orders, dims;
  auto* const only_option =
      add_repeatable(app, "--only", only, "NAME,...", "apply only these passes and rules; repeatable")->delimiter(',');
  auto* const skip_option =
      add_repeatable(app, "--skip", skip, "NAME,...", "simplify without these passes and rules; repeatable")
          ->delimiter(',')
          ->excludes(only_option);
  auto* const file_option = app.add_option("--surgeries", options.surgeries,
                                           "perform the surgeries of this JSON file instead of simplifying");
  auto* const orders_option =
      add_repeatable(app, "--surgery", orders, "NAME:PARAMETER=VALUE:...",
                     "perform this surgery, as in RenameInputs:old_names=a,b:new_names=c,d; repeatable");
  bool simplify = false;
  app.add_flag("--simplify", simplify, "simplify after the surgeries too")->excludes(only_option);
  std::string model_type, runtime;
  std::vector<std::string> kept;
  const auto to = [&](graft::DType dtype) { return [&options, dtype] { options.to = dtype; }; };
  auto* const half_option = app.add_flag_callback("--float16", to(graft::DType::f16),
                                                  "compute in float16 wherever facts permit it");
  auto* const brain_option =
      app.add_flag_callback("--bfloat16", to(graft::DType::bf16), "the same in bfloat16")->excludes(half_option);
  app.add_flag_callback("--float32", to(graft::DType::f32),
                        "compute 16-bit floats in float32; inputs and outputs keep their types")
      ->excludes(half_option)
      ->excludes(brain_option);
  app.add_flag("--keep-io", options.floats.keep_io, "keep inputs and outputs of --float16 and --bfloat16 in float32");
  add_repeatable(app, "--keep-float", kept, "REGEX",
                 "keep nodes whose whole name matches in float32; repeatable");
  app.add_option("--model-type", model_type,
                     "simplify, and fuse operators of transformers: bert, gpt, llama, vit or auto. All do the "
                     "same, because the rules match computations, not names")
          ->check(one_of({"bert", "gpt", "llama", "vit", "auto"}))
          ->excludes(only_option)
          ->excludes(skip_option);
  app.add_option("--runtime", runtime,
                 "the runtime whose fused operators --model-type makes, and whose kernels --float16 and --bfloat16 "
                 "use: ort-cpu (default) or onnx; tensorrt for the latter two; ort-cpu-generation for the former, for "
                 "models that only generate text");
  std::optional<std::int64_t> trips;
  app.add_option("--unroll-loops", trips, "when simplifying, unroll Loops of at most this many known iterations")
      ->check(wanted<std::int64_t>("a whole number above 0", [](std::int64_t n) { return n > 0; }))
      ->excludes(only_option)
      ->excludes(skip_option);
  app.add_flag("--keep-duplicates", options.keep_duplicates, "do not merge equal initializers after surgeries");
  app.add_flag("--list", options.list, "print all passes, rules and surgeries, and what each may change");
  auto* const check = app.add_option("--check", options.checks,
                                     "run the model before and after on this many inputs, and compare the outputs")
                          ->check(wanted<std::int64_t>("a whole number above 0", [](std::int64_t n) { return n > 0; }));
  auto* const inputs = app.add_option("--inputs", options.inputs,
                                      "a folder of ONNX test data for --check, instead of random inputs, and for "
                                      "--float16 and --bfloat16");
  auto* const min_cosine =
      app.add_option("--min-cosine", options.floats.min_cosine,
                     "keep more nodes in float32 until each output has at least this cosine on --inputs")
          ->check(wanted<double>("a number from 0 to 1", [](double number) { return number >= 0 && number <= 1; }))
          ->needs(inputs);
  add_repeatable(app, "--dim", dims, "NAME=N", "the extent of a symbolic dim of random inputs; default 1; repeatable")
      ->needs(check);
  app.add_option("--tolerance", options.tolerance, "fail, and write no model, if --check finds a larger difference")
      ->check(wanted<double>("a number of at least 0", [](double number) { return number >= 0; }))
      ->needs(check);
  add_repeatable(app, "--explain", options.explain, "RULE",
                 "print for each node that the rule could match in the result why it does not; 'all': print the nodes "
                 "that rules skipped, and why; repeatable");
  app.add_option("--report", options.report, "write a report to this JSON file");
  app.add_flag("--verbose", options.verbose, "print the passes and the changes of each");
  app.add_flag("--dry-run", options.dry_run, "run everything, but do not write the model");

  try {
    app.parse(argc, argv);
    if (options.list) return options;
    if (options.model.empty()) throw CLI::RequiredError("MODEL");
    if (options.output.empty() && !options.dry_run) throw CLI::RequiredError("--output (or --dry-run)");
    if (is_one_file(options.output, options.report))
      throw CLI::ValidationError("two outputs are one file", options.output.string());
    for (const std::string& order : orders)
      options.orders.push_back(usage("--surgery", [&] { return order_of(order); }));
    const bool is_surgery = file_option->count() + orders_option->count() != 0;
    if (!is_surgery || simplify || only_option->count() + skip_option->count() != 0)
      options.pass = usage(only.empty() ? "--skip" : "--only", [&] { return chosen_pass(only, skip); });
    if (!model_type.empty())
      options.pass = usage("--runtime", [&] { return fusing_pass(runtime.empty() ? "ort-cpu" : runtime); });
    const bool is_narrowed = options.to && *options.to != graft::DType::f32;
    if (is_narrowed) {
      const std::string target = runtime.empty() ? "ort-cpu" : runtime;
      options.floats.target = usage("--runtime", [&] { return graft::float_targets::all().at(target); });
      for (const std::string& pattern : kept)
        options.floats.keep.push_back(usage("--keep-float", [&] { return graft::NamePattern(pattern); }));
    } else if (options.floats.keep_io || !kept.empty() || min_cosine->count() != 0) {
      throw CLI::RequiredError("--keep-io, --keep-float and --min-cosine: --float16 or --bfloat16");
    }
    if (model_type.empty() && !is_narrowed && !runtime.empty())
      throw CLI::RequiredError("--runtime: --model-type, --float16 or --bfloat16");
    if (!options.inputs.empty() && !is_narrowed && options.checks == 0)
      throw CLI::RequiredError("--inputs: --check, --float16 or --bfloat16");
    if (trips && !options.pass) throw CLI::RequiredError("--unroll-loops: --simplify");
    if (trips) options.pass = with_unrolled_loops(*options.pass, *trips);
    for (const std::string& dim : dims) options.sizes.insert(size_of_dim(dim));
    std::erase_if(options.explain, [&](const std::string& name) {
      if (name == "all") return options.explains_all = true;
      const std::vector<Choice> all = choices();
      if (usage("--explain", [&] { return named(all, name, is_rule); }).pass)
        throw CLI::ValidationError("--explain", "'" + name + "' is a pass, not a rule");
      return false;
    });
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}
