// calibrate_mpi: shares the samples among the ranks of Open MPI. Rank 0 merges their statistics in the order of the
// ranks. The result is the same to the bit for any number of ranks, except for the rounding of moving averages.
//   mpirun -n 4 calibrate_mpi MODEL.onnx --calibration PATH -o RANGES.json
#include <cstdio>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>

#include <graft/graph.hpp>
#include <graft/quantize.hpp>

#include "support/calibration.hpp"
#include "support/freed_memory.hpp"
#include "support/gather_bytes.hpp"
#include "support/mpi.hpp"
#include "support/progress_line.hpp"
#include "support/writable.hpp"

namespace {

struct Options {
  std::filesystem::path model, ranges, statistics;
  Calibration calibration;
  bool keep_overridable = false;
};

template <class O>
void run(const Options& options, const O& observer, int rank, int ranks) {
  using namespace graft;
  Model model = Model::load(options.model);
  check_initializers(model);
  if (rank == 0) {
    check_apart(options.ranges, {options.model, options.statistics});
    check_apart(options.statistics, {options.model});
    check_replaceable(options.ranges);
    if (!options.statistics.empty()) check_replaceable(options.statistics);
  }
  const Samples samples =
      options.calibration.samples(model).block(static_cast<std::size_t>(rank), static_cast<std::size_t>(ranks));
  if (rank == 0) tell_preprocessing(samples);
  prepare_for_any_target(!options.keep_overridable).run(model);
  Statistics own = options.calibration.statistics(observer, samples, model);
  ProgressLine progress("calibrating, rank 0");
  GatherOptions how;
  how.threads = options.calibration.threads;
  how.go_on = [&](std::size_t done) {
    if (rank == 0) progress(done, samples.size());
    return true;
  };
  for (const std::string& why :
       gather(own, model.graph(), observable(model.graph()), options.calibration.source(samples), how))
    std::fprintf(stderr, "could not be read: %s\n", why.c_str());

  const std::vector<std::string> gathered = gather_bytes(to_bytes(own), ranks);
  if (rank != 0) return;
  Statistics all(observer.start());
  for (const std::string& bytes : gathered) all.merge(statistics_from_bytes<typename O::Statistic>(bytes));
  if (all.samples == 0) throw Error("no sample can be read").file(options.calibration.data.string());
  if (!options.statistics.empty()) save_statistics(all, options.statistics);
  save_ranges(ranges_of(observer, all), options.ranges);
  std::printf("%zu tensors, %zu samples, %d %s\n", all.size(), std::size_t{all.samples}, ranks,
              ranks == 1 ? "rank" : "ranks");
}

}  // namespace

int main(int argc, char** argv) {
  give_back_freed_memory();
  Options options;
  CLI::App app("Calibrates a model on the samples that the ranks of MPI share.", "calibrate_mpi");
  app.add_option("MODEL", options.model, "the float model")->required();
  app.add_option("--calibration", options.calibration.data, calibration_help)->required();
  app.add_option("-o,--output", options.ranges, "write the ranges to this JSON file")->required();
  app.add_option("--statistics", options.statistics, "write the statistics to this file");
  app.add_flag("--keep-overridable", options.keep_overridable,
               "keep initializers that callers may override as inputs; by default they become constants");
  add_observer_options(app, options.calibration.observer);
  add_threads_option(app, options.calibration.threads, "number of samples that run at the same time");
  add_sample_options(app, options.calibration);
  return run_ranks(
      app, argc, argv, [&] { check_parameters(options.calibration.observer); },
      [&](const Rank& own) {
        std::visit([&](const auto& observer) { run(options, observer, own.rank, own.count); },
                   options.calibration.observer.observer());
      });
}
