#pragma once
#include <cstdint>

namespace graft::inline v1::standard_kernels::detail {

/// Vectors of floats with the compilers' own arithmetic; `loose` vectors need no alignment.
template <int Width>
struct Lanes {
  typedef float Vector __attribute__((vector_size(Width * sizeof(float))));
  typedef float Loose __attribute__((vector_size(Width * sizeof(float)), aligned(sizeof(float)), may_alias));

  [[gnu::always_inline]] static void fill(Vector& to, float value) {
    // Goes through memory: without an instruction set for the function, g++ 12 splits vectors of one value into single
    // numbers.
    float values[Width];
    for (float& each : values) each = value;
    load(to, values);
  }
  [[gnu::always_inline]] static void load(Vector& to, const float* from) { to = *reinterpret_cast<const Loose*>(from); }
  [[gnu::always_inline]] static void store(float* to, const Vector& from) { *reinterpret_cast<Loose*>(to) = from; }
};

/// Copies inline; a call would take most of the time of a short run.
inline void copy_run(const float* from, std::int64_t count, float* to) {
  using Lane = Lanes<4>;
  Lane::Vector four;
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    Lane::load(four, from + i);
    Lane::store(to + i, four);
  }
  for (; i < count; ++i) to[i] = from[i];
}

}  // namespace graft::inline v1::standard_kernels::detail
