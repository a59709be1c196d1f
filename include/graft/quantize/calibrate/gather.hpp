#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/detail/statistics_sink.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/calibrate/statistics.hpp>

namespace graft::inline v1 {

/// How samples are run through a graph.
struct Gathering {
  ExecutorFactory make_executor{};  ///< called once for each thread that there are samples for
  std::size_t threads = 1;          ///< samples that run at a time
  /// Hears, from one thread at a time, how many samples are done; false ends the run.
  std::function<bool(std::size_t done)> go_on{};
  /// Is called between blocks of samples, when the statistics are whole and can be saved.
  std::function<void()> after_block{};
  /// Sees each sample before it runs, one at a time but in no order.
  std::function<void(const Sample& sample)> before_sample{};
};

namespace detail {

/// As gather().
std::vector<std::string> gather_into(const StatisticsSink& statistics, const Graph& graph,
                                     const std::vector<const Value*>& values, const SampleSource& samples,
                                     const Gathering& how);

}  // namespace detail

/// Adds to the statistics what the samples show of these values of the graph, as observe() does. The statistics say
/// how many samples they have seen: that many of the first samples are left out, so that a run can resume. Samples run
/// in blocks, which merge in their order: the number of threads changes no bit. Returns why samples could not be read,
/// where the source skips these. Throws Error as observe() does.
template <Statistic S>
std::vector<std::string> gather(Statistics<S>& statistics, const Graph& graph, const std::vector<const Value*>& values,
                                const SampleSource& samples, const Gathering& how = {}) {
  return detail::gather_into(detail::StatisticsSink(statistics), graph, values, samples, how);
}

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/gather.ipp>
#endif
