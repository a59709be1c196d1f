// graft-calibrate: runs samples through a model and saves statistics of its tensors. Runs can stop, resume, be split
// into shards and merged. Several observers can make ranges from the same statistics.
#include <cstdio>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>

#include <graft/graph.hpp>
#include <graft/quantize.hpp>

#include "graft-calibrate/resume.hpp"
#include "support/calibration.hpp"
#include "support/freed_memory.hpp"
#include "support/progress_line.hpp"
#include "support/sample_executor.hpp"
#include "support/standard_output.hpp"
#include "support/writable.hpp"

namespace {

namespace fs = std::filesystem;
using namespace graft;

struct Options {
  fs::path model, ranges, output;
  std::vector<fs::path> statistics;
  Calibration calibration;
  bool keep_overridable = false, resume = false;
  std::pair<std::size_t, std::size_t> shard{1, 1};
};

void print_unreadable(const std::vector<std::string>& unreadable) {
  if (unreadable.empty()) return;
  std::printf("%zu could not be read:\n", unreadable.size());
  for (const std::string& why : unreadable) std::printf("  %s\n", why.c_str());
}

template <class O>
void run(const Options& options, const O& observer) {
  Model model = Model::load(options.model.string());
  check_initializers(model);
  const fs::path& file = options.statistics.front();
  check_apart(file, {options.model});
  check_apart(options.ranges, {options.model, file});
  check_replaceable(file);
  if (!options.ranges.empty()) check_replaceable(options.ranges);
  const auto [number, count] = options.shard;
  const Samples samples = options.calibration.samples(model).block(number - 1, count);
  tell_preprocessing(samples);
  if (samples.size() == 0) {
    const std::string which = "shard " + std::to_string(number) + "/" + std::to_string(count) + " has no sample";
    if (!options.ranges.empty()) throw Error(which + " from which to make ranges").file(options.ranges.string());
    std::fprintf(stderr, "graft-calibrate: warning: %s\n", which.c_str());
  }
  const Report prepared = prepare_for_any_target(!options.keep_overridable).run(model);
  if (const Report* const switched = prepared.step("to_inference"))
    for (const std::string& note : switched->notes) std::fprintf(stderr, "graft-calibrate: %s\n", note.c_str());
  const std::vector<const Value*> values = observable(model.graph());
  Statistics statistics = options.calibration.statistics(observer, samples, model);
  if (options.resume && fs::exists(file)) statistics = resumed(statistics, file, values, samples);
  ProgressLine progress("calibrating", statistics.samples + statistics.skipped);
  GatherOptions how;
  how.threads = options.calibration.threads;
  if (const auto executor = sample_executor(model)) how.make_executor = *executor;
  how.go_on = [&](std::size_t done) { return progress(done, samples.size()), true; };
  how.after_block = [&] { save_statistics(statistics, file.string()); };
  const std::vector<std::string> unreadable =
      gather(statistics, model.graph(), values, options.calibration.source(samples), how);
  if (statistics.samples == 0 && samples.size() != 0)
    throw Error("none of the " + std::to_string(samples.size()) + " samples can be read, the first: " +
                (unreadable.empty() ? std::string("in an earlier run") : unreadable.front()));
  save_statistics(statistics, file.string());  // a shard may have no sample
  if (!options.ranges.empty()) save_ranges(ranges_of(observer, statistics), options.ranges.string());
  std::printf("%zu tensors, %zu samples\n", statistics.size(), std::size_t{statistics.samples});
  print_unreadable(unreadable);
  if (const std::size_t earlier = statistics.skipped - unreadable.size(); earlier != 0)
    std::printf("%zu could not be read in an earlier run\n", earlier);
}

/// The statistics from which a range can be made.
auto load(const fs::path& file) { return load_any_statistics<Extremes, MovingExtremes, Histogram>(file.string()); }

/// Throws Error if `other` lacks a tensor of `one`.
template <class S>
void check_tensors(const Statistics<S>& one, const Statistics<S>& other) {
  for (const auto& [name, statistic] : one)
    if (other.find(name) == nullptr) throw Error("is of another model: only one of them has this tensor").field(name);
}

/// Histograms serve several observers, and record one as the default. If two runs recorded different ones, the merged
/// statistics record none.
template <class S>
void forget_unlike_observers(Statistics<S>& one, Statistics<S>& other) {
  if (!std::is_same_v<S, Histogram>) return;
  const auto observer = [](const Statistics<S>& statistics) {
    const auto setting = statistics.settings.find("observer");
    return setting == statistics.settings.end() ? std::string() : setting->second;
  };
  if (observer(one) == observer(other)) return;
  one.settings.erase("observer");
  other.settings.erase("observer");
}

template <class S>
void merge(Statistics<S> all, const Options& options) {
  check_apart(options.output, options.statistics);
  for (std::size_t i = 1; i < options.statistics.size(); ++i) {
    const fs::path& file = options.statistics[i];
    Statistics<S> later = load_statistics<S>(file.string());
    try {
      if (all.samples != 0 && later.samples != 0) {
        check_tensors(all, later);
        check_tensors(later, all);
      }
      forget_unlike_observers(all, later);
      all.merge(later);
    } catch (Error& error) {
      throw error.file(file.string());
    }
  }
  save_statistics(all, options.output.string());
  std::printf("%zu tensors, %zu samples\n", all.size(), std::size_t{all.samples});
  const std::vector<SeenSamples::Run>& runs = all.seen.runs();
  if (runs.size() > 1 || (runs.size() == 1 && runs[0].first > 0)) std::printf("only %s\n", to_string(all.seen).c_str());
}

template <class S>
void ranges(const Statistics<S>& statistics, const Options& options) {
  if (statistics.samples == 0) throw Error("holds no sample");
  check_apart(options.ranges, {options.statistics.front()});
  const ObserverChoice choice = observer_for(statistics.settings, options.calibration.observer);
  const auto save = [&](const auto& observer) {
    if constexpr (requires { observer.range(statistics.start()); }) {
      const Ranges found = ranges_of(observer, statistics);
      save_ranges(found, options.ranges.string());
      std::printf("%zu ranges of %zu samples, by %s\n", found.size(), std::size_t{statistics.samples},
                  to_string(choice).c_str());
    } else {
      throw Error("holds " + std::string(S::kind) + ", from which " + choice.name.value_or(observer_names.front()) +
                  " makes no ranges; run the samples with that observer");
    }
  };
  std::visit(save, choice.observer());
}

}  // namespace

int main(int argc, char** argv) {
  give_back_freed_memory();
  Options options;
  Calibration& calibration = options.calibration;
  CLI::App app("Gathers statistics of a model's tensors on samples, and makes ranges from them.", "graft-calibrate");
  app.require_subcommand(1);

  CLI::App* const run_command = app.add_subcommand("run", "run samples through a model");
  run_command->add_option("MODEL", options.model, "the float model")->required();
  run_command->add_option("--calibration", calibration.data, calibration_help)->required();
  run_command
      ->add_option("--statistics", options.statistics, "save the statistics to this file, also after every few samples")
      ->required()
      ->expected(1);
  run_command->add_option("-o,--output", options.ranges, "write the ranges to this JSON file");
  run_command->add_flag("--resume", options.resume, "continue after the last sample of the saved statistics");
  const auto set_shard = [&](const std::string& text) {
    auto& [number, count] = options.shard;
    const auto mark = text.find('/');
    if (mark == std::string::npos || !CLI::detail::lexical_cast(text.substr(0, mark), number) ||
        !CLI::detail::lexical_cast(text.substr(mark + 1), count) || number < 1 || number > count)
      throw CLI::ValidationError("--shard", "expected NUMBER/COUNT, from 1/COUNT on, found " + text);
  };
  run_command->add_option_function<std::string>("--shard", set_shard, "run only this part of the samples: 1/4 to 4/4");
  run_command->add_flag("--keep-overridable", options.keep_overridable,
                        "keep initializers that callers may override as inputs; by default they become constants");
  add_observer_options(*run_command, calibration.observer);
  add_threads_option(*run_command, calibration.threads, "number of samples that run at the same time");
  add_sample_options(*run_command, calibration);

  CLI::App* const merge_command = app.add_subcommand("merge", "merge the statistics of shards, in their order");
  merge_command->add_option("STATISTICS", options.statistics)->required();
  merge_command->add_option("-o,--output", options.output, "write the merged statistics to this file")->required();

  CLI::App* const ranges_command = app.add_subcommand("ranges", "make ranges from statistics");
  ranges_command->add_option("STATISTICS", options.statistics)->required()->expected(1);
  ranges_command->add_option("-o,--output", options.ranges, "write the ranges to this JSON file")->required();
  add_observer_options(*ranges_command, calibration.observer, "that of the run; min-max if runs had several");

  try {
    app.parse(argc, argv);
    if (*run_command) check_parameters(calibration.observer);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    if (*run_command) {
      std::visit([&](const auto& observer) { run(options, observer); }, calibration.observer.observer());
    } else if (*merge_command) {
      std::visit([&](auto first) { merge(std::move(first), options); }, load(options.statistics.front()));
    } else {
      try {
        std::visit([&](const auto& statistics) { ranges(statistics, options); }, load(options.statistics.front()));
      } catch (Error& error) {
        throw error.file(options.statistics.front().string());
      }
    }
    flush_standard_output();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graft-calibrate: %s\n", error.what());
    return 1;
  }
}
