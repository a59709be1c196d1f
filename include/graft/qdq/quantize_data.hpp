#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include <graft/evaluate/simd.hpp>
#include <graft/graph/builtins.hpp>
#include <graft/graph/error.hpp>
#include <graft/qdq/qparams.hpp>

namespace graft::inline v1 {

namespace detail {

/// Compilers vectorize a loop of constant length at -O2, but not other loops.
inline constexpr std::size_t block_elements = 64;

/// Quantizes one number. Clamps it as a float, NaN to the lowest. Then adds 1.5 * 2^23, which rounds half to even and
/// leaves the integer in the low bits of the mantissa. This is exact, because q has at most 16 bits.
[[gnu::always_inline]] inline std::int32_t quantize_one(float x, float scale, float lowest, float highest,
                                                        std::int32_t zero_point) {
  constexpr float magic = 12582912.0f;
  float steps = x / scale;
  steps = lowest < steps ? steps : lowest;
  steps = steps < highest ? steps : highest;
  return std::bit_cast<std::int32_t>(steps + magic) - std::bit_cast<std::int32_t>(magic) + zero_point;
}

/// One scale for all values, or one for each.
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

/// A distance for which memory is in time, and data stay in the cache: 32 KiB.
inline constexpr std::size_t prefetched_ahead = 8192;

[[gnu::always_inline]] inline void prefetch_block(const float* values) {
  constexpr std::size_t line = 64 / sizeof(float);
  for (std::size_t i = 0; i < block_elements; i += line) builtins::prefetch(values + i);
}

/// Values, and the destination of their codes.
template <class Q, class Scales>
struct Quantizing {
  const float* x;
  Q* codes;
  std::size_t count;
  std::int32_t zero_point;
  Scales scales;
  std::size_t following = 0;  ///< values after these, which are quantized next

  Quantizing part(std::size_t first, std::size_t size, Q* to) const {
    return {x + first, to, size, zero_point, scales.from(first)};
  }
};

struct QuantizeLoop {
  template <int, class Q, class Scales>
  [[gnu::always_inline]] static void run(const Quantizing<Q, Scales>& work) {
    std::size_t i = 0;
    for (; i + block_elements <= work.count; i += block_elements) {
      const std::size_t ahead = i + prefetched_ahead;
      if (ahead + block_elements <= work.count + work.following) prefetch_block(work.x + ahead);
      std::array<Q, block_elements> codes;  // a local: it cannot alias x
      run_block(work.part(i, block_elements, codes.data()));
      std::copy(codes.begin(), codes.end(), work.codes + i);
    }
    run_block(work.part(i, work.count - i, work.codes + i));
  }

 private:
  template <class Q, class Scales>
  [[gnu::always_inline]] static void run_block(const Quantizing<Q, Scales> work) {
    const auto lowest = static_cast<float>(std::numeric_limits<Q>::min() - work.zero_point);
    const auto highest = static_cast<float>(std::numeric_limits<Q>::max() - work.zero_point);
    for (std::size_t i = 0; i < work.count; ++i)
      work.codes[i] = static_cast<Q>(quantize_one(work.x[i], work.scales[i], lowest, highest, work.zero_point));
  }
};

template <class Q, class Scales>
void quantize_all(std::span<const float> x, std::span<Q> quantized, const QParams& params, const Scales scales,
                  std::size_t following = 0) {
  static_assert(std::is_integral_v<Q> && sizeof(Q) <= 2);
  if (dtype_of<Q> != params.dtype) raise(Error("the elements are not " + std::string(to_string(params.dtype))));
  if (x.size() != quantized.size()) raise(Error("the numbers of values and results differ"));
  standard_kernels::run_simd<QuantizeLoop>(
      Quantizing<Q, Scales>{x.data(), quantized.data(), x.size(), params.zero_point, scales, following});
}

}  // namespace detail

/// QuantizeLinear of contiguous values with one scale and zero point: saturate(round_half_even(x / scale) +
/// zero_point), by true float32 division. Q is the C++ type of q.dtype, with 8 or 16 bits. Throws Error if it is not,
/// or if the sizes differ.
template <class Q>
void quantize(std::span<const float> x, std::span<Q> quantized, const QParams& params) {
  detail::quantize_all(x, quantized, params, detail::SharedScale{params.scale});
}

/// The same with a scale for each value. Throws Error as above, or if there are fewer scales than values.
template <class Q>
void quantize(std::span<const float> x, std::span<const float> scales, std::span<Q> quantized, const QParams& params) {
  if (scales.size() < x.size()) detail::raise(Error("there are fewer scales than values"));
  detail::quantize_all(x, quantized, params, detail::ScaleOfEach{scales.data()});
}

}  // namespace graft::inline v1
