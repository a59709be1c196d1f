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

/// The units that min_cost quantizes, by the names of their results, because nodes may have none. inject_qdq() provides
/// its choice.
struct ChosenUnits {
  static constexpr std::string_view fact_name = "chosen_units", fact_maker = "inject_qdq";
  static constexpr bool is_decision = true;

  std::set<std::string, std::less<>> results{};

  bool hold(const Unit& unit) const;
  void add(const Unit& unit);
};

/// An argument of inject_qdq(): min_cost quantizes exactly these units. So a unit that is tried alone is quantized even
/// if it does not repay its conversions.
inline constexpr auto only_units = arg<"only_units", ChosenUnits>;

/// The costs of nodes in integers besides their time, in nanoseconds, by name; for example for the noise that they add.
struct NodePrices {
  std::map<std::string, double, std::less<>> by_name{};

  /// 0 if the node has no price.
  double of(const Node& node) const;
};

/// An argument of inject_qdq(): min_cost adds these prices to the times.
inline constexpr auto node_prices = arg<"node_prices", NodePrices>;

}  // namespace graft::inline v1::detail
