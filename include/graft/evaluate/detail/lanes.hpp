#pragma once
#include <cstdint>

namespace graft::inline v1::standard_kernels::detail {

/// Vectors of floats with the compilers' own arithmetic; loose ones may lie anywhere in memory.
template <int Width>
struct Lanes {
  typedef float Vector __attribute__((vector_size(Width * sizeof(float))));
  typedef float Loose __attribute__((vector_size(Width * sizeof(float)), aligned(sizeof(float)), may_alias));

  [[gnu::always_inline]] static void fill(Vector& to, float value) {
    // By way of memory: in a function of no set g++ 12 takes other vectors of one value apart, number by number.
    float values[Width];
    for (float& each : values) each = value;
    load(to, values);
  }
  [[gnu::always_inline]] static void load(Vector& to, const float* from) { to = *reinterpret_cast<const Loose*>(from); }
  [[gnu::always_inline]] static void store(float* to, const Vector& from) { *reinterpret_cast<Loose*>(to) = from; }
};

/// Copies without the call that a short run would spend its time on.
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
