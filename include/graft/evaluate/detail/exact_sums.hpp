#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include <graft/evaluate/detail/arrays.hpp>
#include <graft/evaluate/detail/axes.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::kernels::detail {

/// The numbers that a quantized type holds, less the zero points.
struct CenteredRange {
  double low, high;

  CenteredRange(DType dtype, const Tensor* zero)
      : low(static_cast<double>(lowest(dtype))), high(static_cast<double>(highest(dtype))) {
    if (zero == nullptr || zero->size() == 0) return;
    const std::vector<double> zeros = zero->to<double>();
    low -= *std::max_element(zeros.begin(), zeros.end());
    high -= *std::min_element(zeros.begin(), zeros.end());
  }
};

/// Whether floats hold all sums of products of such numbers with w along the axis of w's view, and with `start`,
/// exactly, in any order: w of one sign meet the far end of the range at worst, those of the other sign the near one.
inline bool sums_are_exact(const CenteredRange& x, const Tensor& w, const AxisView& view, double start = 0) {
  const double far = std::max(x.high, -x.low), near = std::min(x.high, -x.low);
  const float* values = w.data<float>().data();
  Eigen::ArrayXf sums(view.inner), magnitudes(view.inner);
  for (std::int64_t i = 0; i < view.outer && view.inner > 0; ++i, values += view.extent * view.inner) {
    if (view.inner == 1) {
      const ConstArray<float> row(values, view.extent);
      sums = row.sum();
      magnitudes = row.abs().sum();
    } else {
      sums.setZero();
      magnitudes.setZero();
      for (std::int64_t k = 0; k < view.extent; ++k) {
        const ConstArray<float> row(values + k * view.inner, view.inner);
        sums += row;
        magnitudes += row.abs();
      }
    }
    const double one_sign = double{(magnitudes + sums.abs()).maxCoeff()} / 2, both = double{magnitudes.maxCoeff()};
    if (one_sign * (far - near) + both * near + start >= 1 << 24) return false;
  }
  return true;
}

}  // namespace graft::inline v1::kernels::detail
