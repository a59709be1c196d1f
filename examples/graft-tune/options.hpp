#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <graft/graph.hpp>
#include <graft/quantize.hpp>
#include <graft/session.hpp>
#include <graft/session/tune_session.hpp>

#include "support/option_values.hpp"
#include "support/writable.hpp"

enum class Language { none, cpp, python };

/// The parsed command line.
struct Options {
  std::vector<std::filesystem::path> models;  // one, unless costs are measured
  std::filesystem::path inputs, json, costs;
  const graft::Target* target = nullptr;      // of --costs
  std::map<std::string, std::int64_t> sizes;  // of symbolic dims
  graft::TuneOptions tune;
  bool compares = false, list = false;  // compares: searches nothing
  Language write = Language::none;
};

/// Parses and checks NAME=VALUE.
inline std::pair<std::string, std::string> setting(const std::string& option, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) throw CLI::ValidationError(option, "expected NAME=VALUE, found " + text);
  std::pair<std::string, std::string> result{text.substr(0, equals), text.substr(equals + 1)};
  try {
    graft::check_session_config({result});
  } catch (const graft::Error& error) {
    throw CLI::ValidationError(option, error.what());
  }
  return result;
}

/// Groups several NAME=VALUE by name.
inline std::vector<graft::SearchedOption> searched_options(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>> values;
  for (const std::string& text : texts) {
    auto [name, value] = setting("--try", text);
    if (values[name].empty()) names.push_back(name);
    values[name].push_back(value);
  }
  std::vector<graft::SearchedOption> options;
  for (const std::string& name : names) options.push_back(graft::SearchedOption::of(name, values[name]));
  return options;
}

/// Parses the options; exits with 0 after --help, with 2 on wrong usage.
inline Options parse_options(int argc, char** argv) {
  Options options;
  graft::TuneOptions& tune = options.tune;
  CLI::App app("Searches the options of ONNX Runtime's sessions for those that make a model run faster.", "graft-tune");
  app.add_option("MODEL", options.models, "the model; with --costs any number of models");
  app.add_option("--inputs", options.inputs, "a folder of ONNX test data; by default inputs are random");
  std::vector<std::string> dims, tried, compared;
  add_repeatable(app, "--dim", dims, "NAME=N", "the extent of a symbolic dim of random inputs; default 1; repeatable")
      ->excludes("--inputs");
  std::map<std::string, graft::Objective> by_name;
  for (const auto& [name, objective] : graft::objectives) by_name.emplace(name, objective);
  const auto aim = [&](const std::string& name) { tune.objective = by_name.at(name); };
  app.add_option_function<std::string>("--objective", aim,
                                       "what to improve: mean, p50 or p95 of the time of a run, or throughput")
      ->check(one_of(names_of(by_name)).description(""))
      ->default_str("p50");
  const auto positive = wanted<std::int64_t>("a whole number above 0", [](std::int64_t n) { return n > 0; });
  app.add_option("--concurrency", tune.concurrency, "threads that run the session at the same time")
      ->check(positive)
      ->capture_default_str();
  app.add_option("--threads", tune.threads,
                 "the threads of the default session, and the limit for all others; default: all processors")
      ->check(positive);
  app.add_flag("--processor-time", tune.processor_time,
               "measure the processor time of one thread, which other programs do not change; needs --threads 1");
  const auto not_negative = wanted<double>("a number of at least 0", [](double number) { return number >= 0; });
  app.add_option("--budget", tune.search.budget, "seconds")->check(not_negative)->capture_default_str();
  app.add_option("--tolerance", tune.search.tolerance,
                 "reject options that change outputs by more than this, relative to their largest magnitude")
      ->check(not_negative)
      ->capture_default_str();
  app.add_option("--confidence", tune.search.confidence, "confidence of the intervals")
      ->check(wanted<double>("a number between 0 and 1", [](double number) { return number > 0 && number < 1; }))
      ->capture_default_str();
  auto* const try_option = add_repeatable(app, "--try", tried, "NAME=VALUE",
                                          "try only these options and values; repeatable");
  auto* const compare_option =
      add_repeatable(app, "--compare", compared, "NAME=VALUE",
                     "compare a session with these options to the default, and search nothing; repeatable")
          ->excludes(try_option);
  app.add_flag("--list", options.list, "print the options that exist");
  app.add_option("--json", options.json, "write the result and every trial as JSON");
  const std::map<std::string, Language> languages{{"cpp", Language::cpp}, {"python", Language::python}};
  add_choice(app, "--write", options.write, languages, "print code that sets the best options: cpp or python");
  auto* const costs = app.add_option(
      "--costs", options.costs,
      "measure the times of operators in float and in integers, write a target for graft-quantize to this "
      "FILE.json, and search nothing");
  std::string target(graft::targets::ort_cpu_here().name);  // ONNX Runtime on this machine
  app.add_option("--target", target, "the target whose costs are measured; with --costs")
      ->needs(costs)
      ->capture_default_str();
  try {
    app.parse(argc, argv);
    if (costs->count() != 0) {
      for (const char* const option : {"--inputs", "--objective", "--concurrency", "--threads", "--processor-time",
                                       "--budget", "--tolerance", "--confidence", "--try", "--compare", "--json",
                                       "--write"})
        if (app.count(option) != 0) throw CLI::ExcludesError("--costs", option);
      if (options.costs.extension() != ".json")
        throw CLI::ValidationError("--costs", "expected a name that ends in .json, found " + options.costs.string());
    } else if (options.models.size() != 1 && !options.list) {
      throw CLI::ValidationError("MODEL", options.models.empty() ? "is required" : "one is searched at a time");
    }
    try {
      options.target = &graft::targets::named(target);
    } catch (const graft::Error& error) {
      throw CLI::ValidationError("--target", error.message());
    }
    if (tune.processor_time && (tune.threads != 1 || tune.concurrency != 1))
      throw CLI::ValidationError("--processor-time", "needs --threads 1, and no --concurrency");
    for (const std::string& dim : dims) options.sizes.insert(size_of_dim(dim));
    options.compares = compare_option->count() != 0;
    for (const std::string& text : compared) {
      const auto [name, value] = setting("--compare", text);
      tune.search.start = graft::with_option(tune.search.start, name, value);
    }
    if (options.compares && tune.search.start.empty())
      throw CLI::ValidationError("--compare", "the options are those of the default");
    tune.options = searched_options(tried);
    for (const std::filesystem::path& model : options.models)
      if (is_one_file(options.json, model) || is_one_file(options.costs, model))
        throw CLI::ValidationError("--json or --costs", "would be written over the model");
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}
