#pragma once
#include <graft/quantize/calibrate/ranges.hpp>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/detail/rename_key.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/unmatched_name.hpp>

namespace graft::inline v1 {

GRAFT_INLINE const Range* Ranges::find(std::string_view name) const {
  const auto place = by_name_.find(name);
  return place == by_name_.end() ? nullptr : &place->second;
}

GRAFT_INLINE const Range& Ranges::at(std::string_view name) const {
  if (const Range* const range = find(name)) return *range;
  throw Error("its range is not known: calibrate, or load ranges that have it").field(name);
}

GRAFT_INLINE void Ranges::erase(std::string_view name) {
  if (const auto place = by_name_.find(name); place != by_name_.end()) by_name_.erase(place);
}

GRAFT_INLINE void Ranges::rename(std::string_view from, std::string_view to) { detail::rename_key(by_name_, from, to); }

GRAFT_INLINE void Ranges::join(std::string_view name, std::span<const std::string> parts) {
  Range joined;
  for (const std::string& part : parts) {
    const Range* const range = find(part);
    if (range == nullptr) return erase(name);
    joined.merge(*range);
  }
  by_name_.insert_or_assign(std::string(name), joined);
}

GRAFT_INLINE const Range& Ranges::checked(std::string_view name, const Range& range) {
  try {
    detail::check_order(range);
  } catch (Error& error) {
    throw error.field(std::string(name));
  }
  return range;
}

GRAFT_INLINE Pass override_ranges(std::vector<RangeOverride> overrides) {
  for (const RangeOverride& given : overrides)
    Ranges().set(given.tensors.text(), given.range);  // throws for a bad range
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
      if (!matched) report.notes.push_back(no_tensor_called(given.tensors, graph));
    }
    return report;
  };
  return pass("override_ranges", run).needs<Ranges>().preserves_all();
}

}  // namespace graft::inline v1
