#pragma once
#include <graft/config.hpp>
#include <graft/quantize/quantize_data.hpp>

#include <bit>

namespace graft::inline v1 {

namespace detail {

GRAFT_INLINE std::int32_t quantize_one(float x, float scale, float lowest, float highest,
                                                              std::int32_t zero_point) {
  constexpr float magic = 12582912.0f;
  float steps = x / scale;
  steps = lowest < steps ? steps : lowest;
  steps = steps < highest ? steps : highest;
  return std::bit_cast<std::int32_t>(steps + magic) - std::bit_cast<std::int32_t>(magic) + zero_point;
}

GRAFT_INLINE void prefetch_block(const float* values) {
  constexpr std::size_t line = 64 / sizeof(float);
  for (std::size_t i = 0; i < block; i += line) __builtin_prefetch(values + i);
}

}  // namespace detail

}  // namespace graft::inline v1
