#pragma once
#include <graft/quantize/detail/chosen_units.hpp>

#include <graft/config.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE bool ChosenUnits::hold(const Unit& unit) const {
  bool found = false;
  for (const Value& output : unit.node->outputs()) found = found || results.contains(output.name());
  return found;
}

GRAFT_INLINE void ChosenUnits::add(const Unit& unit) {
  for (const Value& output : unit.node->outputs())
    if (!output.name().empty()) results.emplace(output.name());
}

GRAFT_INLINE double NodePrices::of(const Node& node) const {
  const auto price = by_name.find(node.name());
  return price != by_name.end() ? price->second : 0;
}

}  // namespace graft::inline v1::detail
