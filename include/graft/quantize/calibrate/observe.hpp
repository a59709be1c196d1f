#pragma once
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/sample.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/detail/statistics_sink.hpp>

namespace graft::inline v1 {

/// The tensors of the main graph for which a placement may need a range: its inputs and the outputs of nodes, except
/// for constants and values that are known not to be float32.
std::vector<const Value*> observable(const Graph& graph);

namespace detail {

/// As observe(), for one sample and for all.
void observe_one(AnyExecutor& executor, const Sample& sample, const std::vector<const Value*>& values,
                 const StatisticsSink& statistics, std::string_view called);
void observe_all(AnyExecutor& executor, const std::vector<const Value*>& values, const SampleSource& samples,
                 const StatisticsSink& statistics, const std::function<bool(std::size_t)>& go_on);

}  // namespace detail

/// Adds these values, in one run of the graph, to the statistics.
///
/// Values that are not float32 are left out. Infinity counts as the largest float. NaN counts as 0 in tensors that
/// IsNaN or IsInf reads, directly or behind operators that move their elements: for example the attention weights of a
/// query that sees no key.
///
/// Throws Error with the name of a tensor if any other tensor holds NaN, or if an input or a product that IsNaN and
/// IsInf do not read holds infinity; its code is "input_not_finite" or "not_finite". Throws the executor's errors for
/// feeds of the wrong shape. Errors name the file of the sample, or `called` if the file is unknown; the message names
/// a node that failed.
///
/// A sample with an identity is recorded as seen after its run; throws Error unless it follows the samples seen so far.
template <Executor E, Statistic S>
void observe(E& executor, const Sample& sample, const std::vector<const Value*>& values, Statistics<S>& statistics,
             std::string_view called = "the sample") {
  AnyExecutor runs(std::ref(executor));
  detail::observe_one(runs, sample, values, detail::StatisticsSink(statistics), called);
}

/// Adds these values to the statistics, for samples that are any range of Feeds or Sample, with any shapes that the
/// graph accepts. go_on, if given, is called before each sample with the number of finished samples, and ends the run
/// by returning false. Throws Error as for one sample; errors name samples of unknown files by their number, from 0.
template <Executor E, Statistic S, class Samples>
void observe(E& executor, const std::vector<const Value*>& values, Samples&& samples, Statistics<S>& statistics,
             const std::function<bool(std::size_t)>& go_on = {}) {
  AnyExecutor runs(std::ref(executor));
  detail::observe_all(runs, values, detail::borrowed(samples), detail::StatisticsSink(statistics), go_on);
}

}  // namespace graft::inline v1
