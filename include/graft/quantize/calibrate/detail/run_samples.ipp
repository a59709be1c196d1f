#pragma once
#include <graft/quantize/calibrate/detail/run_samples.hpp>

#include <cstddef>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/calibrate/gather.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Report run_samples(const Graph& graph, const std::vector<const Value*>& values,
                                const SampleSource& samples, const ExecutorFactory& make_executor,
                                const StatisticsSink& statistics, const Context& context, std::string_view pass_name) {
  const std::size_t total = samples.size().value_or(0);
  Report report;
  const auto go_on = [&](std::size_t done) {
    context.tell(Progress{pass_name, done, total});
    if (context.is_cancelled()) report.outcome = Outcome::cancelled;
    return report.outcome != Outcome::cancelled;
  };
  for (std::string& why : gather_into(statistics, graph, values, samples, {make_executor, context.threads, go_on}))
    report.notes.push_back("could not be read: " + std::move(why));
  if (report.outcome != Outcome::cancelled && statistics.samples() == 0)
    throw Error(report.notes.empty() ? "there is no sample to calibrate on"
                                     : "no sample can be read, the first: " + report.notes.front());
  return report;
}

}  // namespace graft::inline v1::detail
