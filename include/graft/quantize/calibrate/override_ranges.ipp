#pragma once
#include <graft/quantize/calibrate/override_ranges.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/detail/unmatched_name.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass override_ranges(std::vector<RangeOverride> overrides) {
  for (const RangeOverride& given : overrides) Ranges().set(given.tensors.text(), given.range);  // refuses it
  const auto run = [overrides = std::move(overrides)](Graph& graph, Context& context) {
    Report report;
    Ranges& ranges = *context.facts.edit<Ranges>();
    const std::vector<const Value*> values = observable(graph);
    for (const RangeOverride& given : overrides) {
      bool matched = false;
      for (const Value* const value : values) {
        if (!given.tensors.matches(value->name())) continue;
        matched = true;
        ranges.set(value->name(), given.range);
        ++report.changes;
      }
      if (!matched) report.notes.push_back(detail::no_tensor_called(given.tensors, graph));
    }
    return report;
  };
  return pass("override_ranges", run).needs<Ranges>().preserves_all();
}

}  // namespace graft::inline v1
