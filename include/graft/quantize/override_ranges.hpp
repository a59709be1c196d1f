#pragma once
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/name_pattern.hpp>
#include <graft/quantize/observe.hpp>
#include <graft/quantize/ranges.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The range of the tensors that a pattern matches.
struct RangeOverride {
  NamePattern tensors;
  Range range;
};

/// The pass that gives tensors of the main graph other ranges than were found; of several patterns that match one the
/// last decides. Its notes are the patterns that match no tensor. Throws Error naming the pattern whose range has its
/// min above its max.
inline Pass override_ranges(std::vector<RangeOverride> overrides) {
  for (const RangeOverride& given : overrides) Ranges().set(given.tensors.text(), given.range);  // refuses it
  const auto run = [overrides = std::move(overrides)](Graph& graph, Context& context) {
    Report report;
    Ranges& ranges = *context.facts.find<Ranges>();
    const std::vector<const Value*> values = observable(graph);
    for (const RangeOverride& given : overrides) {
      bool matched = false;
      for (const Value* const value : values) {
        if (!given.tensors.matches(value->name())) continue;
        matched = true;
        ranges.set(value->name(), given.range);
        ++report.changes;
      }
      if (!matched) report.notes.push_back("no tensor is called '" + given.tensors.text() + "'");
    }
    return report;
  };
  return pass("override_ranges", run).needs(needs_fact<Ranges>("ranges", "calibrate"));
}

}  // namespace graft::inline v1
