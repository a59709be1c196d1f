#pragma once
#include <cmath>
#include <concepts>

#include <graft/evaluate/detail/map.hpp>
#include <graft/evaluate/detail/wrapping.hpp>

namespace graft::inline v1::standard_kernels::detail {

struct Exp {
  double operator()(double x) const { return std::exp(x); }
  /// Eigen's exp is limited to normal numbers; squaring gives smaller results too.
  auto packed(const auto& x) const { return (x * 0.5F).exp().square(); }
};

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

inline void add_unary(Kernels& kernels) {
  using detail::on_floats;
  using detail::on_numbers;
  kernels.add("Abs", {6}, on_numbers(detail::Magnitude()))
      .add("Neg", {6},
           on_numbers([](auto x) { return std::floating_point<decltype(x)> ? -x : detail::Sub()(decltype(x){0}, x); }))
      .add("Sign", on_numbers([](auto x) { return static_cast<decltype(x)>((x > 0) - (x < 0)); }))
      .add("Ceil", {6}, on_floats([](auto x) { return std::ceil(x); }))
      .add("Floor", {6}, on_floats([](auto x) { return std::floor(x); }))
      .add("Round", on_floats([](auto x) { return std::nearbyint(x); }))
      .add("Sqrt", {6}, on_floats([](auto x) { return std::sqrt(x); }))
      .add("Reciprocal", {6}, on_floats([](auto x) { return 1 / x; }))
      .add("Exp", {6}, on_floats(detail::Exp()))
      .add("Log", {6}, on_floats([](auto x) { return std::log(x); }))
      .add("Sin", on_floats([](auto x) { return std::sin(x); }))
      .add("Cos", on_floats([](auto x) { return std::cos(x); }))
      .add("Tan", on_floats([](auto x) { return std::tan(x); }))
      .add("Asin", on_floats([](auto x) { return std::asin(x); }))
      .add("Acos", on_floats([](auto x) { return std::acos(x); }))
      .add("Atan", on_floats([](auto x) { return std::atan(x); }))
      .add("Sinh", on_floats([](auto x) { return std::sinh(x); }))
      .add("Cosh", on_floats([](auto x) { return std::cosh(x); }))
      .add("Asinh", on_floats([](auto x) { return std::asinh(x); }))
      .add("Acosh", on_floats([](auto x) { return std::acosh(x); }))
      .add("Atanh", on_floats([](auto x) { return std::atanh(x); }))
      .add("Erf", on_floats([](auto x) { return std::erf(x); }));
}

}  // namespace graft::inline v1::standard_kernels
