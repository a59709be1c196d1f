#pragma once
#include <cmath>
#include <string>

#include <graft/graph/shortest_decimal.hpp>
#include <graft/qonnx/convert/zero_points.hpp>

namespace graft::inline v1::qonnx::detail {

/// Why a conversion that takes such zero points does not take this one; empty if it does.
inline std::string why_not_taken(float zero_point, ZeroPoints taken) {
  if (zero_point == 0 || taken == ZeroPoints::any) return "";
  const bool is_odd = std::fmod(zero_point, 2.0F) != 0;
  if (!is_odd && taken == ZeroPoints::even) return "";
  return "its zero point " + shortest_decimal(zero_point) +
         (is_odd ? " is odd: ties would round otherwise" : " is not 0: what is next to a tie would round otherwise");
}

/// Of a conversion that took a zero point other than 0.
inline std::string inexactness(const std::string& node) {
  return node + ": its zero point is not 0; values at ties, or within a rounding error of one, may become the "
                "neighbouring integer";
}

}  // namespace graft::inline v1::qonnx::detail
