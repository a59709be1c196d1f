#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/pattern/arg.hpp>
#include <graft/quantize/detail/units.hpp>

namespace graft::inline v1::detail {

/// The units that min_cost quantizes, by their results, which have names where nodes have none. inject_qdq() provides
/// its choice.
struct ChosenUnits {
  static constexpr std::string_view fact_name = "chosen_units", fact_maker = "inject_qdq";
  static constexpr bool is_decision = true;

  std::set<std::string, std::less<>> results{};

  bool hold(const Unit& unit) const;
  void add(const Unit& unit);
};

/// An argument of inject_qdq(): min_cost quantizes these units and no others. One that is tried alone is quantized then
/// though it does not repay its conversions.
inline constexpr auto only_units = arg<"only_units", ChosenUnits>;

/// What nodes cost in integers beyond their time, such as the noise that they add, in nanoseconds, by their names.
struct NodePrices {
  std::map<std::string, double, std::less<>> by_name{};

  /// 0 where it has none.
  double of(const Node& node) const;
};

/// An argument of inject_qdq(): min_cost counts these prices as time.
inline constexpr auto node_prices = arg<"node_prices", NodePrices>;

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/detail/chosen_units.ipp>
#endif
