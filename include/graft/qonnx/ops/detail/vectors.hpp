#pragma once
#include <cstdint>

#include <graft/qonnx/ops/rounding_mode.hpp>

namespace graft::inline v1::qonnx::detail {

/// A rounding mode as masks of all ones or none, so that one loop serves all modes. They select the number to add to
/// the magnitude before rounding half to even, and whether a result below the magnitude is raised by 1, or one above it
/// lowered.
struct Rounding {
  explicit Rounding(RoundingMode mode) {
    using enum RoundingMode;
    const auto mask = [](bool is) { return is ? -1 : 0; };
    offset = mode == half_up ? 0.5F : mode == half_down ? -0.5F : 0.0F;
    up_above_0 = mask(mode == RoundingMode::up || mode == half_down || mode == ceil);
    up_below_0 = mask(mode == RoundingMode::up || mode == half_down || mode == floor);
    down_above_0 = mask(mode == RoundingMode::down || mode == half_up || mode == floor);
    down_below_0 = mask(mode == RoundingMode::down || mode == half_up || mode == ceil);
  }

  float offset;
  std::int32_t up_above_0, up_below_0, down_above_0, down_below_0;
};

/// Vectors of floats, and round() on them in the arithmetic of every instruction set: SSE2 has no instruction for it.
/// Everything is inlined, and vectors are passed by reference, so that it compiles to the instruction set of the
/// calling function.
template <int Width>
struct Vectors {
  typedef float Floats __attribute__((vector_size(Width * sizeof(float))));
  typedef std::int32_t Bits __attribute__((vector_size(Width * sizeof(float))));
  typedef float Loose __attribute__((vector_size(Width * sizeof(float)), aligned(sizeof(float)), may_alias));

  [[gnu::always_inline]] static void load(Floats& to, const float* from) { to = *reinterpret_cast<const Loose*>(from); }
  [[gnu::always_inline]] static void store(float* to, const Floats& from) { *reinterpret_cast<Loose*>(to) = from; }
  [[gnu::always_inline]] static void fill(Floats& to, float value) {
    float values[Width];
    for (float& each : values) each = value;
    load(to, values);
  }

  /// From 2^23 on, floats have no fraction: adding this magnitude rounds half to even.
  [[gnu::always_inline]] static void round_magnitude(Floats& to, const Floats& magnitude) {
    constexpr float integers = 8388608;
    to = magnitude < integers ? magnitude + integers - integers : magnitude;
  }

  /// round(x, half_even).
  [[gnu::always_inline]] static void round_half_even(Floats& x) {
    const Bits bits = __builtin_bit_cast(Bits, x);
    const Bits magnitude = bits & all_but_sign;
    Floats rounded;
    round_magnitude(rounded, __builtin_bit_cast(Floats, magnitude));
    const Bits result = __builtin_bit_cast(Bits, rounded) | (bits & ~all_but_sign);
    x = __builtin_bit_cast(Floats, result);
  }

  /// round(x, mode).
  [[gnu::always_inline]] static void round(Floats& x, const Rounding& mode) {
    const Bits bits = __builtin_bit_cast(Bits, x);
    const Bits magnitude_bits = bits & all_but_sign;
    Floats magnitude = __builtin_bit_cast(Floats, magnitude_bits);
    magnitude = magnitude + mode.offset;
    magnitude = magnitude < 0.0F ? magnitude - magnitude : magnitude;  // magnitudes below a half become 0
    Floats rounded;
    round_magnitude(rounded, magnitude);
    const Bits negative = bits < 0;
    const Bits up = (negative & mode.up_below_0) | (~negative & mode.up_above_0);
    const Bits down = (negative & mode.down_below_0) | (~negative & mode.down_above_0);
    const Floats raised = rounded + 1.0F, lowered = rounded - 1.0F;
    const Bits raise = (rounded < magnitude) & up;
    const Bits lower = (rounded > magnitude) & down;
    rounded = raise != 0 ? raised : lower != 0 ? lowered : rounded;
    const Bits result = __builtin_bit_cast(Bits, rounded) | (bits & ~all_but_sign);
    x = __builtin_bit_cast(Floats, result);
  }

 private:
  static constexpr std::int32_t all_but_sign = 0x7fffffff;
};

}  // namespace graft::inline v1::qonnx::detail
