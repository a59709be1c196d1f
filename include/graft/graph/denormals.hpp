#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace graft::inline v1 {

/// Whether the bits of an IEEE number are denormal: not 0, and below the smallest normal number, whose bits are given.
/// Bits is an unsigned type; its highest bit is the sign.
template <class Bits>
constexpr bool is_denormal(Bits bits, Bits least_normal) {
  const auto magnitude = static_cast<Bits>(bits & static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1));
  return static_cast<Bits>(magnitude - 1) < static_cast<Bits>(least_normal - 1);
}

/// Counts the denormal numbers: not 0, and of a magnitude below 2^-126.
inline std::size_t count_denormals(std::span<const float> numbers) {
  std::size_t count = 0;
  for (const float number : numbers) count += is_denormal(std::bit_cast<std::uint32_t>(number), std::uint32_t{1} << 23);
  return count;
}

}  // namespace graft::inline v1
