#pragma once
#include <graft/qonnx/convert/detail/integer_format.hpp>

#include <cmath>

#include <graft/config.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qonnx/ops/integer_range.hpp>

namespace graft::inline v1::qonnx::detail {

inline constexpr int most_bits = 32;

/// Whether a Quant of that width rounds to these integers, in float32. One signed bit is -1 or 1 without 0.
inline bool is_range(const IntegerFormat& width, std::int64_t lowest, std::int64_t highest) {
  if (is_bipolar(width.bits, width.is_signed)) return false;
  const IntegerRange range = integer_range(width.bits, width.is_signed, width.is_narrow);
  return graft::detail::round_half_even(range.min) == static_cast<double>(static_cast<float>(lowest)) &&
         graft::detail::round_half_even(range.max) == static_cast<double>(static_cast<float>(highest));
}

GRAFT_INLINE std::optional<IntegerFormat> bit_width_of(std::int64_t lowest, std::int64_t highest,
                                                       bool allow_fractions) {
  const bool is_signed = lowest < 0;
  for (int bits = 1; bits <= most_bits; ++bits)
    for (const bool is_narrow : {false, true})
      if (const IntegerFormat width{static_cast<float>(bits), is_signed, is_narrow}; is_range(width, lowest, highest))
        return width;
  if (!allow_fractions || highest < 0) return std::nullopt;
  // -2^(n-1) to 2^(n-1) - 1 and, narrow, from one more; 0 to 2^n - 1. What rounds to [-1, 0] must not be of one bit.
  const auto magnitude = static_cast<float>(highest + 1);
  IntegerFormat width{std::log2(magnitude) + (is_signed ? 1.0F : 0.0F), is_signed, is_signed && lowest == -highest};
  if (is_signed && highest == 0) width.bits = 1.25F;
  return is_range(width, lowest, highest) ? std::optional(width) : std::nullopt;
}

GRAFT_INLINE IntegerFormat least_bit_width(std::int64_t lowest, std::int64_t highest) {
  const bool is_signed = lowest < 0;
  for (int bits = is_signed ? 2 : 1; bits <= most_bits; ++bits) {
    const std::int64_t half = std::int64_t{1} << (bits - 1);
    if (!is_signed && highest < 2 * half) return {static_cast<float>(bits), false, false};
    if (is_signed && lowest >= -half && highest < half) return {static_cast<float>(bits), true, lowest > -half};
  }
  return {most_bits, is_signed, false};
}

}  // namespace graft::inline v1::qonnx::detail
