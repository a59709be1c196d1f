#pragma once
#include <cmath>
#include <numbers>

#include <graft/evaluate/detail/gradient.hpp>

/// The gradients of functions of one number, from the gradient g of the output y.
namespace graft::inline v1::standard_kernels::backward {

inline void add_unary(BackwardKernels& kernels) {
  using detail::of_input;
  using detail::of_output;
  constexpr float slope = 2 * std::numbers::inv_sqrtpi_v<float>;
  kernels.add("Abs", {6}, of_input([](float g, float x) { return x > 0 ? g : x < 0 ? -g : 0; }))
      .add("Neg", {6}, of_input([](float g, float) { return -g; }))
      .add("Sqrt", {6}, of_output([](float g, float y) { return g / (2 * y); }))
      .add("Reciprocal", {6}, of_output([](float g, float y) { return -g * y * y; }))
      .add("Exp", {6}, of_output([](float g, float y) { return g * y; }))
      .add("Log", {6}, of_input([](float g, float x) { return g / x; }))
      .add("Sin", of_input([](float g, float x) { return g * std::cos(x); }))
      .add("Cos", of_input([](float g, float x) { return -g * std::sin(x); }))
      .add("Erf", of_input([](float g, float x) { return g * slope * std::exp(-x * x); }));
}

}  // namespace graft::inline v1::standard_kernels::backward
