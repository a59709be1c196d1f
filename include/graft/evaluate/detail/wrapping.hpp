#pragma once
#include <cmath>
#include <type_traits>

namespace graft::inline v1::standard_kernels::detail {

/// The type in which T is computed so that integers wrap; overflow of signed types is undefined.
template <class T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
  auto packed(const auto& a, const auto& b) const { return a + b; }
};

struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
  }
  auto packed(const auto& a, const auto& b) const { return a - b; }
};

struct Mul {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
  auto packed(const auto& a, const auto& b) const { return a * b; }
};

struct Square {
  template <class T>
  T operator()(T x) const {
    return Mul()(x, x);
  }
};

struct Magnitude {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::abs(x);
    } else {
      return x < T{0} ? Sub()(T{0}, x) : x;
    }
  }
};

}  // namespace graft::inline v1::standard_kernels::detail
