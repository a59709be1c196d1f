#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>

#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

namespace detail {

/// A sign-magnitude float format of at most 8 bits. Magnitudes above max are infinity or NaN.
struct SmallFloat {
  int mantissa_bits;
  int bias;
  std::uint8_t sign_bit;
  std::uint8_t max;
  std::uint8_t infinity;  // 0: the format has none
  std::uint8_t nan;       // code, with the sign if there is only one NaN; 0: the format has none

  constexpr bool one_nan() const { return nan == sign_bit && nan != 0; }
};

/// The parameters of a format. Source: ONNX, "Float stored in 8 bits" and "Float stored in 4 bits".
constexpr SmallFloat small_float(DType dtype) {
  switch (dtype) {
    case DType::f8e4m3fn: return {3, 7, 0x80, 0x7E, 0, 0x7F};
    case DType::f8e4m3fnuz: return {3, 8, 0x80, 0x7F, 0, 0x80};
    case DType::f8e5m2: return {2, 15, 0x80, 0x7B, 0x7C, 0x7F};
    case DType::f8e5m2fnuz: return {2, 16, 0x80, 0x7F, 0, 0x80};
    case DType::f4e2m1: return {1, 1, 0x08, 0x07, 0, 0};
    default: raise(Error(std::string(to_string(dtype)) + " is not a float of 8 or 4 bits with a mantissa"));
  }
}

constexpr float power_of_two(int exponent) {
  return exponent < -126 ? std::bit_cast<float>(1u << (exponent + 149))
                         : std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
}

constexpr float quiet_nan(bool negative) { return std::bit_cast<float>(negative ? 0xFFC00000u : 0x7FC00000u); }

/// Returns value >> shift, rounded half to even.
constexpr std::uint64_t shift_half_even(std::uint64_t value, int shift) {
  const std::uint64_t quotient = value >> shift;
  const std::uint64_t rest = value - (quotient << shift);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  return quotient + (rest > half || (rest == half && quotient % 2 == 1) ? 1 : 0);
}

}  // namespace detail

/// The exact value of an element of f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz or f4e2m1 (in the low 4 bits).
constexpr float decode_float8(DType dtype, std::uint8_t code) {
  const detail::SmallFloat format = detail::small_float(dtype);
  const bool negative = (code & format.sign_bit) != 0;
  const int magnitude = code & (format.sign_bit - 1);
  if (format.one_nan() ? code == format.nan : magnitude > format.max) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if (format.infinity == 0 || magnitude != format.infinity) return detail::quiet_nan(negative);
    return negative ? -infinity : infinity;
  }
  const int exponent = magnitude >> format.mantissa_bits;
  const int fraction = magnitude & ((1 << format.mantissa_bits) - 1);
  const int significand = exponent == 0 ? fraction : fraction + (1 << format.mantissa_bits);
  const float value = static_cast<float>(significand) *
                      detail::power_of_two(std::max(exponent, 1) - format.bias - format.mantissa_bits);
  return negative ? -value : value;
}

/// Encodes a number as the nearest element of the same five dtypes, half to even. Beyond the range, infinities
/// included, the result is the largest finite value if saturating (f4e2m1 always saturates). Otherwise it is infinity,
/// or NaN if the format has no infinity. NaN becomes 6 in f4e2m1. Source: ONNX Cast 19 (saturate) and 23.
constexpr std::uint8_t encode_float8(DType dtype, double value, bool saturate = true) {
  const detail::SmallFloat format = detail::small_float(dtype);
  const auto word = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = word & 0x7FFF'FFFF'FFFF'FFFF;
  constexpr std::uint64_t infinity = 0x7FF0'0000'0000'0000;

  const std::uint8_t sign = (word >> 63) != 0 ? format.sign_bit : std::uint8_t{0};
  const auto with_sign = [sign, &format](std::uint64_t code) {
    if (format.one_nan() && (code == 0 || code == format.nan)) return static_cast<std::uint8_t>(code);
    return static_cast<std::uint8_t>(code | sign);
  };

  if (magnitude > infinity) return format.nan == 0 ? format.max : with_sign(format.nan);
  std::uint64_t code = std::uint64_t{format.max} + 1;
  if (magnitude < infinity) {
    const int exponent = static_cast<int>(magnitude >> 52) - 1023;
    const int smallest = 1 - format.bias;
    const int shift = 52 - format.mantissa_bits + std::max(smallest - exponent, 0);
    const std::uint64_t significand = (magnitude & 0x000F'FFFF'FFFF'FFFF) | 0x0010'0000'0000'0000;
    // A significand that rounds up to the next power of two carries into the exponent, which is correct.
    code = shift > 53 ? 0 : detail::shift_half_even(significand, shift);
    if (exponent > smallest) code += static_cast<std::uint64_t>(exponent - smallest) << format.mantissa_bits;
  }
  if (code <= format.max) return with_sign(code);
  if (saturate || format.nan == 0) return with_sign(format.max);
  return with_sign(format.infinity != 0 ? format.infinity : format.nan);
}

/// The exact value of an element of f8e8m0: 2^(code - 127); NaN for 255.
constexpr float decode_f8e8m0(std::uint8_t code) {
  return code == 0xFF ? detail::quiet_nan(false) : detail::power_of_two(code - 127);
}

/// The round_mode attribute of Cast.
enum class PowerRounding { up, down, nearest };

/// Encodes a positive value as a power of two next to it; ties round up. Beyond the range (0 and infinity included) the
/// result is the nearer end of the range if saturating, else NaN. Negative values and NaN become NaN. Source: ONNX Cast
/// 24 (round_mode, saturate).
constexpr std::uint8_t encode_f8e8m0(double value, PowerRounding rounding = PowerRounding::up, bool saturate = true) {
  constexpr std::uint8_t nan = 0xFF;
  const auto word = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
  if (value != value || (word >> 63) != 0) return nan;
  const std::uint64_t fraction = word & 0x000F'FFFF'FFFF'FFFF;
  int exponent = static_cast<int>(word >> 52) - 1023;
  const bool up = (rounding == PowerRounding::up && fraction != 0) ||
                  (rounding == PowerRounding::nearest && fraction >= 0x0008'0000'0000'0000);
  if (up) ++exponent;
  if (!saturate && (exponent < -127 || exponent > 127)) return nan;
  return static_cast<std::uint8_t>(std::clamp(exponent, -127, 127) + 127);
}

}  // namespace graft::inline v1
