#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/cast.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The weight of a neighbour by its distance: linear, or the cubic convolution of Keys, "Cubic Convolution
/// Interpolation for Digital Image Processing", 1981, with parameter a.
struct Interpolation {
  bool cubic = false;
  double a = -0.75;

  /// Neighbours at this distance or beyond have no weight.
  double support() const { return cubic ? 2 : 1; }

  double operator()(double distance) const {
    const double x = std::abs(distance);
    if (!cubic) return std::max(0.0, 1 - x);
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
  }

  /// The first neighbour of a position, and one past the last, if the neighbours' distances shrink by `scale`.
  std::int64_t first(double at, double scale = 1) const {
    return static_cast<std::int64_t>(std::floor(at - support() / scale)) + 1;
  }
  std::int64_t last(double at, double scale = 1) const {
    return static_cast<std::int64_t>(std::ceil(at + support() / scale));
  }
};

/// The type for interpolation: float, or double for integers and doubles.
inline Tensor to_reals(Tensor x) {
  return is_float(x.dtype()) ? cast(std::move(x), computed_in(x.dtype())) : Tensor::of(x.dims(), x.to<double>());
}

/// Converts back. Integers truncate and saturate; a sum that differs from an integer only by rounding becomes that
/// integer.
inline Tensor from_reals(Tensor x, DType dtype) {
  if (is_float(dtype)) return cast(std::move(x), dtype);
  std::vector<double> values = x.to<double>();
  for (double& value : values) {
    const double whole = std::nearbyint(value);
    if (std::abs(value - whole) <= 1e-9 * std::max(1.0, std::abs(whole))) value = whole;
  }
  return Tensor::of(dtype, x.dims(), values);
}

}  // namespace graft::inline v1::standard_kernels::detail
