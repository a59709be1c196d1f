#pragma once
// Needs ONNX Runtime, as <graft/evaluate/onnxruntime_api.hpp> does.
#include <algorithm>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <graft/session.hpp>
#include <graft/session/onnxruntime_bench.hpp>

namespace graft::inline v1 {

struct TuneOptions {
  Objective objective = Objective::p50;
  /// The number of threads that call Run at the same time on one session.
  std::size_t concurrency = 1;
  /// The limit of a session's threads inside nodes, and the number that the default has; 0: one for each processor, the
  /// runtime's default.
  int threads = 0;
  /// See OnnxRuntimeBenchOptions.
  double block_seconds = 0.05;
  bool processor_time = false;
  /// The options to try; if empty, usual_session_options() of the model.
  std::vector<SearchedOption> options{};
  SearchOptions search{};
};

/// The model's graph, as the runtime reads it. Throws Error for bytes that are not a model.
inline Model read_model(const SessionModel& model) {
  if (!model.file.empty()) return Model::load(model.file);
  onnx::ModelProto proto;
  if (!proto.ParseFromString(model.bytes)) throw Error("is not an ONNX model").field("bytes");
  return Model(std::move(proto));
}

/// The options for measuring times.
inline OnnxRuntimeBenchOptions bench_options(const TuneOptions& options) {
  return {options.objective, options.concurrency, options.block_seconds, options.processor_time};
}

/// The options of the search, if the default has no more threads than a session may use.
inline SearchOptions bounded(const TuneOptions& options) {
  SearchOptions search = options.search;
  if (options.threads > 0) search.base.try_emplace("intra_op_num_threads", std::to_string(options.threads));
  return search;
}

/// Searches the options of ONNX Runtime's sessions for a model on the CPU. samples: the feeds of each run, by name.
/// Throws Error if the runtime cannot run the model on them with its default options.
inline TuneResult tune_session(const SessionModel& model, const std::vector<Feeds>& samples,
                               const TuneOptions& options = {}) {
  std::vector<SearchedOption> searched = options.options;
  const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (searched.empty())
    searched = usual_session_options(read_model(model).graph(), options.threads > 0 ? options.threads : processors);
  OnnxRuntimeBench bench(model, samples, bench_options(options));
  return search_session_options(bench, searched, bounded(options));
}

}  // namespace graft::inline v1
