#pragma once
#include <graft/quantize/calibrate/detail/run_samples.hpp>

#include <cstddef>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/calibrate/observe.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Report run_samples(const Graph& graph, const std::vector<const Value*>& values,
                                const SampleSource& samples, const ExecutorFactory& make_executor,
                                const StatisticsSink& statistics, const Context& context, std::string_view pass_name) {
  const std::size_t total = samples.size().value_or(0);
  Report report;
  AnyExecutor executor = make_executor(graph);
  observe_all(executor, values, samples, statistics, [&](std::size_t done) {
    context.tell(Progress{pass_name, done, total});
    if (context.is_cancelled()) report.outcome = Outcome::cancelled;
    return report.outcome != Outcome::cancelled;
  });
  if (report.outcome != Outcome::cancelled && statistics.samples == 0)
    throw Error("there is no sample to calibrate on");
  return report;
}

}  // namespace graft::inline v1::detail
