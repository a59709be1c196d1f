// graft-tune: searches the options of ONNX Runtime's sessions for those that make a model run faster.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <graft/evaluate.hpp>
#include <graft/graph.hpp>
#include <graft/session/tune_session.hpp>
#include <graft/testing/random.hpp>

#include "graft-tune/costs.hpp"
#include "graft-tune/options.hpp"
#include "graft-tune/report.hpp"
#include "support/random_feeds.hpp"
#include "support/standard_output.hpp"
#include "support/test_data.hpp"
#include "support/writable.hpp"

namespace {

/// The samples of the folder, or one random sample.
std::vector<graft::Feeds> samples_of(const graft::Model& model, const Options& options) {
  if (options.inputs.empty()) {
    graft::Random random(1);
    return {random_feeds(model.graph(), options.sizes, random)};
  }
  if (!std::filesystem::is_directory(options.inputs))
    throw graft::Error("is not a folder").file(options.inputs.string());
  std::vector<graft::Feeds> feeds;
  for (const graft::Sample& sample : test_data_samples(options.inputs, model)) feeds.push_back(sample.feeds);
  if (feeds.empty()) throw graft::Error("holds no ONNX test data for this model").file(options.inputs.string());
  return feeds;
}

void show_progress(const graft::SessionTrial& trial) {
  std::fprintf(stderr, "  %s=%s: %s\n", trial.option.c_str(), value_of(trial).c_str(), verdict_of(trial).c_str());
}

void search(const Options& options) {
  if (!options.json.empty()) check_replaceable(options.json);
  const std::string file = options.models.front().string();
  graft::Model model = graft::Model::load(file);
  const std::vector<graft::Feeds> samples = samples_of(model, options);
  graft::TuneOptions tune = options.tune;
  if (isatty(STDERR_FILENO) != 0) tune.search.progress = show_progress;
  const graft::SessionModel source{.file = file};
  Outcome outcome{file, "ONNX Runtime " + graft::OnnxRuntimeApi::version(), samples.size(), {}};
  try {
    if (options.compares) {
      graft::OnnxRuntimeBench bench(source, samples, graft::bench_options(tune));
      outcome.result = graft::search_session_options(bench, {}, graft::bounded(tune));
      if (outcome.result.candidate == outcome.result.base)
        throw graft::Error("the options are those of the default").field("--compare");
    } else {
      outcome.result = graft::tune_session(source, samples, tune);
    }
  } catch (graft::Error& error) {
    throw error.file(file);
  }
  print_table(outcome, options);
  if (options.write == Language::cpp) std::printf("\n%s", graft::to_cpp(outcome.result.chosen).c_str());
  if (options.write == Language::python) std::printf("\n%s", graft::to_python(outcome.result.chosen).c_str());
  if (!options.json.empty()) save_json(to_json(outcome, options), options.json);
}

/// Measures costs of the runtime's kernels, by which graft-quantize places quantizers.
void measure(const Options& options) {
  check_replaceable(options.costs);
  std::vector<graft::Model> models;
  for (const std::filesystem::path& file : options.models) models.push_back(graft::Model::load(file));
  measure_costs(models, options.sizes, *options.target, options.costs, 20);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = parse_options(argc, argv);
    if (options.list) print_list();
    else if (options.costs.empty()) search(options);
    else measure(options);
    flush_standard_output();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graft-tune: %s\n", error.what());
    return 1;
  }
}
