#pragma once
#include <graft/config.hpp>
#include <graft/graph/detail/elements.hpp>

#include <bit>
#include <cmath>

namespace graft::inline v1::detail {

GRAFT_INLINE float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || !std::isfinite(nearest)) return nearest;
  const auto word = std::bit_cast<std::uint32_t>(nearest);
  if (word % 2 == 1) return nearest;
  const bool too_far = std::abs(static_cast<double>(nearest)) > std::abs(value);
  return std::bit_cast<float>(too_far ? word - 1 : word + 1);
}

GRAFT_INLINE float Float8Elements::read(std::size_t i) const {
  const auto code = std::to_integer<std::uint8_t>(bytes[i]);
  return dtype == DType::f8e8m0 ? decode_f8e8m0(code) : decode_float8(dtype, code);
}

}  // namespace graft::inline v1::detail
