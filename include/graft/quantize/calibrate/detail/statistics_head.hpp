#pragma once
#include <string_view>

namespace graft::inline v1::detail {

inline constexpr std::string_view statistics_head = "graft statistics 2 ";

bool holds_statistics(std::string_view bytes);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/detail/statistics_head.ipp>
#endif
