#pragma once
#include <graft/quantize/calibrate/gather.hpp>

#include <algorithm>
#include <utility>

#include <graft/config.hpp>
#include <graft/quantize/calibrate/detail/block_runner.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::vector<std::string> gather_into(const StatisticsSink& statistics, const Graph& graph,
                                                  const std::vector<const Value*>& values, const SampleSource& samples,
                                                  const Gathering& how) {
  BlockRunner run(statistics, graph, values, samples.size(), how);
  const auto begun = static_cast<std::size_t>(statistics.samples() + statistics.skipped());
  if (samples.is_indexed()) {
    const std::size_t size = *samples.size();
    const auto take = [&](std::size_t i) { return samples.at(i); };
    for (std::size_t at = begun; at < size && run.goes_on(); at += run.block())
      run(at, std::min(size, at + run.block()), take);
    return std::move(run).unreadable();
  }
  std::vector<MaybeSample> waiting;
  std::size_t at = 0;
  const auto run_block = [&] {
    const std::size_t first = at - waiting.size();
    run(first, at, [&](std::size_t i) { return std::move(waiting[i - first]); });
    waiting.clear();
  };
  samples.for_each([&](const Sample& sample) {
    if (!run.goes_on()) return false;
    if (at++ < begun) return true;
    waiting.push_back({sample});
    if (waiting.size() == run.block()) run_block();
    return run.goes_on();
  });
  if (!waiting.empty()) run_block();
  return std::move(run).unreadable();
}

}  // namespace graft::inline v1::detail
