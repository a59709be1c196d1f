#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include <graft/graph/error.hpp>
#include <graft/quantize/qparams.hpp>

namespace graft::inline v1 {

namespace detail {

/// Compilers vectorize a loop of constant length at -O2, where they leave others alone.
inline constexpr std::size_t block = 64;

/// q of one number. Clamped while still a float, NaN to the lowest, then rounded half to even by adding 1.5 * 2^23,
/// which leaves the integer in the low bits of the mantissa; q has at most 16 bits, so this is exact.
inline std::int32_t quantize_one(float x, float scale, float lowest, float highest, std::int32_t zero_point) {
  constexpr float magic = 12582912.0f;
  float steps = x / scale;
  steps = lowest < steps ? steps : lowest;
  steps = steps < highest ? steps : highest;
  return std::bit_cast<std::int32_t>(steps + magic) - std::bit_cast<std::int32_t>(magic) + zero_point;
}

/// One scale for all values, and one for each.
struct SharedScale {
  float scale;
  float operator[](std::size_t) const { return scale; }
  SharedScale from(std::size_t) const { return *this; }
};
struct ScaleOfEach {
  const float* scales;
  float operator[](std::size_t i) const { return scales[i]; }
  ScaleOfEach from(std::size_t i) const { return {scales + i}; }
};

template <class Q, class Scales>
void quantize_block(const float* x, Q* q, std::size_t count, const QParams& params, const Scales scales) {
  const auto lowest = static_cast<float>(params.lowest() - params.zero_point);
  const auto highest = static_cast<float>(params.highest() - params.zero_point);
  for (std::size_t i = 0; i < count; ++i)
    q[i] = static_cast<Q>(quantize_one(x[i], scales[i], lowest, highest, params.zero_point));
}

template <class Q, class Scales>
void quantize_blocks(std::span<const float> x, std::span<Q> quantized, const QParams& params, const Scales scales) {
  static_assert(std::is_integral_v<Q> && sizeof(Q) <= 2);
  if (dtype_of<Q> != params.dtype) throw Error("the elements are not " + std::string(to_string(params.dtype)));
  if (x.size() != quantized.size()) throw Error("quantize() needs as many results as values");
  std::size_t i = 0;
  for (; i + block <= x.size(); i += block) {
    std::array<Q, block> result;  // a local: it cannot alias x
    quantize_block(x.data() + i, result.data(), block, params, scales.from(i));
    std::copy(result.begin(), result.end(), quantized.begin() + static_cast<std::ptrdiff_t>(i));
  }
  quantize_block(x.data() + i, quantized.data() + i, x.size() - i, params, scales.from(i));
}

}  // namespace detail

/// QuantizeLinear of contiguous values with one scale and zero point: saturate(round_half_even(x / scale) +
/// zero_point), by true float32 division. Q is the C++ type of an 8 or 16 bit q.dtype. Throws Error if it is not, or if
/// the sizes differ.
template <class Q>
void quantize(std::span<const float> x, std::span<Q> quantized, const QParams& params) {
  detail::quantize_blocks(x, quantized, params, detail::SharedScale{params.scale});
}

/// The same, each value with a scale of its own. Throws Error as quantize() does, or if the scales are fewer.
template <class Q>
void quantize(std::span<const float> x, std::span<const float> scales, std::span<Q> quantized, const QParams& params) {
  if (scales.size() < x.size()) throw Error("quantize() needs as many scales as values");
  detail::quantize_blocks(x, quantized, params, detail::ScaleOfEach{scales.data()});
}

}  // namespace graft::inline v1
