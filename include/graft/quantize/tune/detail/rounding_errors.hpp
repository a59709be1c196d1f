#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/block_matrix.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/quantize/target/product_forms.hpp>

namespace graft::inline v1::detail {

/// The squared error that rounding leaves.
inline double rounding_error(std::span<const float> values, const QParams& q) {
  const double scale = q.scale, lowest = q.lowest() - q.zero_point, highest = q.highest() - q.zero_point;
  double sum = 0;
  for (const float value : values) {
    const double error = std::clamp(round_half_even(value / scale), lowest, highest) * scale - value;
    sum += error * error;
  }
  return sum;
}

/// The squared error that rounding to int8 leaves, with a scale for each block of a row, or what is left of it.
inline double block_rounding_error(std::span<const float> values, std::size_t columns) {
  constexpr auto block_size = static_cast<std::size_t>(BlockForm().block_size);
  double sum = 0;
  for (std::size_t row = 0; row + columns <= values.size(); row += columns) {
    for (std::size_t at = 0; at < columns; at += block_size) {
      const std::span<const float> part = values.subspan(row + at, std::min(block_size, columns - at));
      const Extent extent = extent_of(part);
      QParams q;
      q.dtype = DType::i8;
      q.scale = std::max(-extent.range.min, extent.range.max) / 127;
      if (q.scale > 0) sum += rounding_error(part, q);
    }
  }
  return sum;
}

/// Of one tensor, quantized by its range, as the model runs, and in blocks: the share of each sample's power that is
/// lost, in sum.
struct RoundingErrors {
  double by_range = 0, dynamic = 0, in_blocks = 0;
  std::size_t samples = 0;

  void add(const Tensor& tensor, const QParams& of_range) {
    if (tensor.dtype() != DType::f32 || tensor.rank() == 0) return;
    const std::span<const float> values = tensor.data<float>();
    const Extent extent = extent_of(values);
    if (values.empty() || !extent.finite) return;
    double power = 0;
    for (const float value : values) power += double{value} * value;
    if (power == 0) return;
    by_range += rounding_error(values, of_range) / power;
    dynamic += rounding_error(values, choose_qparams(extent.range, DType::u8)) / power;
    in_blocks += block_rounding_error(values, static_cast<std::size_t>(tensor.dims().back())) / power;
    ++samples;
  }
  /// The form of a product that may have these, by which its input is rounded much less: fixed where there is none.
  ProductForm finest(bool may_be_dynamic, bool may_be_weight_only) const {
    constexpr double much = 1e-3;
    const double other = may_be_dynamic ? std::min(by_range, dynamic) : by_range;
    if (may_be_weight_only && other > much * static_cast<double>(samples) && in_blocks < other / 4)
      return ProductForm::weight_only;
    return may_be_dynamic && dynamic < by_range / 4 ? ProductForm::dynamic : ProductForm::fixed;
  }
};

}  // namespace graft::inline v1::detail
