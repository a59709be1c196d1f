#pragma once
#include <functional>
#include <set>
#include <string>

#include <graft/quantize/detail/units.hpp>

namespace graft::inline v1::detail {

/// The units that min_cost quantizes, by their results, which are named where nodes are not: what inject_qdq()
/// tells of its choice. Where that is fixed it chooses none but these, so that one that is tried alone is quantized
/// though it does not repay its conversions.
struct ChosenUnits {
  std::set<std::string, std::less<>> results{};
  bool fixed = false;

  bool hold(const Unit& unit) const;
  void add(const Unit& unit);
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/detail/chosen_units.ipp>
#endif
