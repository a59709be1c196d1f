// calibrate_mpi: shares the samples among the ranks of Open MPI. Rank 0 merges their statistics in the order of the
// ranks. The result is the same to the bit for any number of ranks, except for the rounding of moving averages.
//   mpirun -n 4 calibrate_mpi MODEL.onnx --calibration PATH -o RANGES.json
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <mpi.h>

#include <CLI/CLI.hpp>

#include <graft/graph.hpp>
#include <graft/quantize.hpp>

#include "support/calibration.hpp"
#include "support/freed_memory.hpp"
#include "support/progress_line.hpp"
#include "support/writable.hpp"

namespace {

struct Options {
  std::filesystem::path model, ranges, statistics;
  Calibration calibration;
  bool keep_overridable = false;
};

/// Returns the bytes of each rank, by rank, at rank 0; nothing at the others. Throws graft::Error at rank 0 if the
/// bytes are more than MPI can gather.
std::vector<std::string> gather_bytes(const std::string& own, int rank, int ranks) {
  const auto size = static_cast<int>(own.size());
  std::vector<int> sizes(static_cast<std::size_t>(ranks)), offsets(sizes.size() + 1);
  MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > std::numeric_limits<int>::max() - offsets[i])
      throw graft::Error("the statistics of all ranks are over 2 GiB");
    offsets[i + 1] = offsets[i] + sizes[i];
  }
  std::string all(static_cast<std::size_t>(offsets.back()), '\0');
  MPI_Gatherv(own.data(), size, MPI_BYTE, all.data(), sizes.data(), offsets.data(), MPI_BYTE, 0, MPI_COMM_WORLD);
  std::vector<std::string> result;
  for (std::size_t i = 0; rank == 0 && i < sizes.size(); ++i)
    result.push_back(all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(sizes[i])));
  return result;
}

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

  Statistics all(observer.start());
  for (const std::string& bytes : gather_bytes(to_bytes(own), rank, ranks))
    all.merge(statistics_from_bytes<typename O::Statistic>(bytes));
  if (rank != 0) return;
  if (all.samples == 0) throw Error("no sample can be read").file(options.calibration.data.string());
  if (!options.statistics.empty()) save_statistics(all, options.statistics);
  save_ranges(ranges_of(observer, all), options.ranges);
  std::printf("%zu tensors, %zu samples, %d %s\n", all.size(), std::size_t{all.samples}, ranks,
              ranks == 1 ? "rank" : "ranks");
}

int calibrate(int argc, char** argv, int rank, int ranks) {
  Options options;
  CLI::App app("Calibrates a model on the samples that the ranks of MPI share.", "calibrate_mpi");
  app.add_option("MODEL", options.model, "the float model")->required();
  app.add_option("--calibration", options.calibration.data, calibration_help)->required();
  app.add_option("-o,--output", options.ranges, "write the ranges to this JSON file")->required();
  app.add_option("--statistics", options.statistics, "write the statistics to this file");
  app.add_flag("--keep-overridable", options.keep_overridable,
               "keep initializers that callers may override as inputs; by default they become constants");
  add_observer_options(app, options.calibration.observer);
  add_sample_options(app, options.calibration);
  try {
    app.parse(argc, argv);
    check_parameters(options.calibration.observer);
  } catch (const CLI::ParseError& error) {
    if (rank != 0) return error.get_exit_code() == 0 ? 0 : 2;  // only one rank prints the message
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    std::visit([&](const auto& observer) { run(options, observer, rank, ranks); },
               options.calibration.observer.observer());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "calibrate_mpi: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // the others would wait forever for this rank's message
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  give_back_freed_memory();
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int code = calibrate(argc, argv, rank, ranks);
  MPI_Finalize();
  return code;
}
