#pragma once
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/detail/statistics_sink.hpp>
#include <graft/quantize/calibrate/sample.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/calibrate/statistics.hpp>

namespace graft::inline v1 {

/// The tensors of the main graph that a placement may ask the range of: its inputs and whatever a node makes, unless it
/// is known not to be float32, or constant.
std::vector<const Value*> observable(const Graph& graph);

namespace detail {

/// As observe(), of one sample, and of all.
void observe_one(AnyExecutor& executor, const Sample& sample, const std::vector<const Value*>& values,
                 const StatisticsSink& statistics, std::string_view called);
void observe_all(AnyExecutor& executor, const std::vector<const Value*>& values, const SampleSource& samples,
                 const StatisticsSink& statistics, const std::function<bool(std::size_t)>& go_on);

}  // namespace detail

/// Adds to the statistics what one run of the graph shows of these values; those that turn out not to be float32 are
/// left out, and infinities count as the greatest floats. NaN counts as 0 in what IsNaN or IsInf reads, also behind
/// what moves its elements, as the weights of a query that sees no key. Throws Error naming the other tensor that holds
/// NaN, the input or product that holds infinity and that neither reads, and whatever the executor throws at feeds of
/// the wrong shape: with the file that the sample is from, or what it is called where that is unknown; where a node
/// fails, in its message. A sample that has an identity is noted as seen once it ran; throws Error unless it comes
/// after those that were.
template <Executor E, Statistic S>
void observe(E& executor, const Sample& sample, const std::vector<const Value*>& values, Statistics<S>& statistics,
             std::string_view called = "the sample") {
  AnyExecutor runs(std::ref(executor));
  detail::observe_one(runs, sample, values, detail::StatisticsSink(statistics), called);
}

/// Adds to the statistics what samples show of these values: anything that yields Feeds, or Sample, one after the
/// other, of any shapes that the graph takes. go_on, if given, hears how many are done before each, and ends the run
/// with false. Throws Error as for one sample; those of unknown files are named by their number, from 0.
template <Executor E, Statistic S, class Samples>
void observe(E& executor, const std::vector<const Value*>& values, Samples&& samples, Statistics<S>& statistics,
             const std::function<bool(std::size_t)>& go_on = {}) {
  AnyExecutor runs(std::ref(executor));
  detail::observe_all(runs, values, detail::borrowed(samples), detail::StatisticsSink(statistics), go_on);
}

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/observe.ipp>
#endif
