#pragma once
#include <graft/config.hpp>
#include <graft/quantize/calibrate/detail/statistics_head.hpp>

namespace graft::inline v1::detail {

// How a file of statistics begins: the family, the version, then the kind.
inline constexpr std::string_view statistics_family = "graft statistics ";

GRAFT_INLINE bool holds_statistics(std::string_view bytes) {
  return bytes.substr(0, statistics_family.size()) == statistics_family;
}

}  // namespace graft::inline v1::detail
