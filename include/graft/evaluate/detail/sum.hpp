#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include <graft/evaluate/detail/wrapping.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The sum of f(x) for a few numbers, in eight independent partial sums.
template <class T, class F>
T short_sum(const T* x, std::int64_t count, const F& f) {
  std::array<T, 8> parts{};
  const Add add;
  for (; count >= 8; count -= 8, x += 8) {
    for (std::size_t k = 0; k < 8; ++k) parts[k] = add(parts[k], f(x[k]));
  }
  for (std::int64_t i = 0; i < count; ++i) parts[0] = add(parts[0], f(x[i]));
  for (std::size_t half = 4; half > 0; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) parts[k] = add(parts[k], parts[k + half]);
  }
  return parts[0];
}

/// The sum of f(x). Keeps precision: the sums of short runs of floats are added in double.
template <class T, class F>
T sum(const T* x, std::int64_t count, const F& f) {
  constexpr std::int64_t length = 256;
  std::conditional_t<std::is_integral_v<T>, T, double> total{};
  for (std::int64_t i = 0; i < count; i += length) {
    total = Add()(total, static_cast<decltype(total)>(short_sum(x + i, std::min(length, count - i), f)));
  }
  return static_cast<T>(total);
}

template <class T>
T sum(const T* x, std::int64_t count) {
  return sum(x, count, [](T value) { return value; });
}

template <class T>
T mean(const T* x, std::int64_t count) {
  return sum(x, count) / static_cast<T>(count);
}

/// The variance of the whole population.
template <class T>
T variance(const T* x, std::int64_t count, T around) {
  return sum(x, count, [around](T value) { return (value - around) * (value - around); }) / static_cast<T>(count);
}

}  // namespace graft::inline v1::standard_kernels::detail
