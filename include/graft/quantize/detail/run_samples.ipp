#pragma once
#include <graft/quantize/detail/run_samples.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/calibrate/gather.hpp>
#include <graft/quantize/calibrate/input_extents.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Report run_samples(const Graph& graph, const std::vector<const Value*>& values,
                                const std::vector<SamplePart>& parts, const ExecutorFactory& make_executor,
                                Context& context, std::string_view pass_name) {
  std::size_t total = 0, done_before = 0;
  for (const SamplePart& part : parts) total += part.samples.size().value_or(0);
  Report report;
  InputExtents extents;
  const auto go_on = [&](std::size_t done) {
    context.report_progress(Progress{pass_name, done_before + done, total});
    if (context.is_cancelled()) report.outcome = Outcome::cancelled;
    return report.outcome != Outcome::cancelled;
  };
  GatherOptions how{make_executor, context.threads, go_on};
  how.before_sample = [&](const Sample& sample) { extents.add(sample.feeds); };
  std::uint64_t seen = 0;
  for (const auto& [samples, statistics] : parts) {
    for (std::string& why : gather_into(statistics, graph, values, samples, how)) {
      report.notes.push_back("could not be read: " + why);
      report.unreadable.push_back(std::move(why));
    }
    if (report.outcome == Outcome::cancelled) return report;
    seen += statistics.samples();
    done_before = static_cast<std::size_t>(seen);
  }
  if (seen == 0)
    throw Error(report.notes.empty() ? "there is no sample to calibrate on"
                                     : "no sample can be read, the first: " + report.notes.front());
  context.facts.provide(std::move(extents));
  return report;
}

}  // namespace graft::inline v1::detail
