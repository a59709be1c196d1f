#pragma once
// What g++ and clang++ have as builtin functions, for other compilers, too.
#include <cstdint>
#include <limits>

namespace graft::inline v1::builtins {

/// The functions in standard C++.
namespace portable {

constexpr bool add_overflows(std::int64_t a, std::int64_t b, std::int64_t& sum) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  return ((a ^ sum) & (b ^ sum)) < 0;
}

constexpr bool subtract_overflows(std::int64_t a, std::int64_t b, std::int64_t& difference) {
  difference = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  return ((a ^ b) & (a ^ difference)) < 0;
}

constexpr bool multiply_overflows(std::int64_t a, std::int64_t b, std::int64_t& product) {
  product = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  if (a == -1) return b == std::numeric_limits<std::int64_t>::min();
  return a != 0 && product / a != b;
}

}  // namespace portable

#if defined(__GNUC__)
/// These three return whether the result overflows. It is then the lower 64 bits.
constexpr bool add_overflows(std::int64_t a, std::int64_t b, std::int64_t& sum) {
  return __builtin_add_overflow(a, b, &sum);
}
constexpr bool subtract_overflows(std::int64_t a, std::int64_t b, std::int64_t& difference) {
  return __builtin_sub_overflow(a, b, &difference);
}
constexpr bool multiply_overflows(std::int64_t a, std::int64_t b, std::int64_t& product) {
  return __builtin_mul_overflow(a, b, &product);
}

/// Starts to load the memory into the cache. It may be any address.
[[gnu::always_inline]] inline void prefetch(const void* memory) { __builtin_prefetch(memory); }
#else
using portable::add_overflows;
using portable::multiply_overflows;
using portable::subtract_overflows;
inline void prefetch(const void*) {}
#endif

}  // namespace graft::inline v1::builtins
