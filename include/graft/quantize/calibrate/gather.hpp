#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/detail/statistics_sink.hpp>

namespace graft::inline v1 {

/// Options for running samples through a graph.
struct GatherOptions {
  ExecutorFactory make_executor{};  ///< called once for each thread that gets samples
  std::size_t threads = 1;          ///< number of samples that run at the same time
  /// Called with the number of finished samples, from one thread at a time; false ends the run.
  std::function<bool(std::size_t done)> go_on{};
  /// Called between blocks of samples, when the statistics are complete and can be saved.
  std::function<void()> after_block{};
  /// Called with each sample before it runs, one at a time but in no order.
  std::function<void(const Sample& sample)> before_sample{};
};

using Gathering [[deprecated("use GatherOptions")]] = GatherOptions;

namespace detail {

/// The body of gather(), compiled once.
std::vector<std::string> gather_into(const StatisticsSink& statistics, const Graph& graph,
                                     const std::vector<const Value*>& values, const SampleSource& samples,
                                     const GatherOptions& how);

}  // namespace detail

/// Adds these values of the graph on the samples to the statistics, as observe() does. The statistics count the samples
/// that they have seen; that many samples are skipped at the start, so that a run can resume. Samples run in blocks,
/// which merge in order: the result does not depend on the number of threads. If the source skips unreadable samples,
/// returns the reasons. Throws Error as observe() does.
template <Statistic S>
std::vector<std::string> gather(Statistics<S>& statistics, const Graph& graph, const std::vector<const Value*>& values,
                                const SampleSource& samples, const GatherOptions& how = {}) {
  return detail::gather_into(detail::StatisticsSink(statistics), graph, values, samples, how);
}

}  // namespace graft::inline v1
