#pragma once
#include <graft/quantize/tune/refine_ranges.hpp>

#include <array>
#include <cstdio>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/tune/detail/range_descent.hpp>
#include <graft/quantize/tune/detail/trial_runs.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string to_string(const RefinedRanges& result) {
  const auto number = [](double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g", value);
    return std::string(text.data());
  };
  return std::to_string(result.changed.size()) + " of " + std::to_string(result.tensors) +
         " ranges are changed: noise in the outputs " + number(result.noise_after) + ", before " +
         number(result.noise_before);
}

GRAFT_INLINE Pass refine_ranges(SampleSource samples, const Target& target, RangeRefinement refinement,
                                ExecutorFactory make_executor) {
  if (!(refinement.step > 1)) throw Error("the step by which ranges are scaled must be greater than 1");
  const Pass quantize = inject_qdq(target, refinement.placement);
  const auto run = [quantize, samples = std::move(samples), refinement, make_executor = std::move(make_executor)](
                       Graph& graph, Context& context) {
    Report report;
    Ranges ranges = *context.facts.find<Ranges>();
    detail::RangeDescent descent(graph, quantize, samples, refinement, make_executor, context);
    RefinedRanges found = descent.improve(ranges);
    if (context.is_cancelled()) {
      report.outcome = Outcome::cancelled;
      return report;
    }
    report.changes = found.changed.size();
    report.notes.push_back(to_string(found));
    context.facts.provide(std::move(ranges));
    context.facts.provide(std::move(found));
    return report;
  };
  return detail::needing(pass("refine_ranges", run), quantize)
      .provides<Ranges>()
      .provides<RefinedRanges>()
      .preserves_all();
}

}  // namespace graft::inline v1
