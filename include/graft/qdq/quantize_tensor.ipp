#pragma once
#include <graft/qdq/quantize_tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/qdq/quantize_data.hpp>
#include <graft/qdq/range.hpp>

namespace graft::inline v1 {

namespace detail {

GRAFT_INLINE Rows::Rows(const Dims& dims, std::optional<std::size_t> axis) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto dim = static_cast<std::size_t>(dims[i]);
    if (axis && i == *axis) channels = dim;
    if (axis && i <= *axis) count *= dim;
  }
  std::size_t size = 1;
  for (const std::int64_t dim : dims) size *= static_cast<std::size_t>(dim);
  length = count == 0 ? 0 : size / count;
}

/// Throws Error if a value is not finite.
inline Range finite_range(const Extent& extent) {
  if (!extent.finite) throw Error("has a value that is not finite, and cannot be quantized");
  return extent.range;
}

inline Range finite_range(std::span<const float> values) { return finite_range(extent_of(values)); }

inline std::vector<Range> channel_ranges(std::span<const float> values, const Rows& rows) {
  std::vector<Range> ranges(rows.channels);
  if (rows.are_single_values()) {
    std::ranges::transform(extents_of_columns(values, rows.channels), ranges.begin(),
                           [](const Extent& extent) { return finite_range(extent); });
    return ranges;
  }
  for (std::size_t row = 0; row < rows.count; ++row)
    ranges[row % rows.channels].merge(finite_range(values.subspan(row * rows.length, rows.length)));
  return ranges;
}

/// The range to which each channel is clipped.
inline std::vector<Range> clipped_ranges(std::span<const float> values, const Rows& rows, int bits) {
  std::vector<Range> ranges;
  std::vector<float> channel;
  for (std::size_t c = 0; c < rows.channels; ++c) {
    channel.clear();
    for (std::size_t row = c; row < rows.count; row += rows.channels) {
      const std::span<const float> part = values.subspan(row * rows.length, rows.length);
      channel.insert(channel.end(), part.begin(), part.end());
    }
    const float magnitude = least_error_magnitude(channel, bits);
    ranges.push_back({-magnitude, magnitude});
  }
  return ranges;
}

inline Tensor clipped(const Tensor& tensor, const Rows& rows, const std::vector<Range>& ranges) {
  std::vector<float> values = tensor.to<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Range& range = ranges[i / rows.length % rows.channels];
    values[i] = std::clamp(values[i], range.min, range.max);
  }
  return Tensor::of<float>(tensor.dims(), values);
}

/// A channel of zeros takes the largest scale of the others, because a bias is stored in steps of it.
inline void lend_scales(std::vector<QParams>& params, const std::vector<Range>& ranges) {
  float largest = 0;
  const auto is_zero = [&](std::size_t c) { return ranges[c].empty() || ranges[c] == Range{0, 0}; };
  for (std::size_t c = 0; c < params.size(); ++c)
    if (!is_zero(c)) largest = std::max(largest, params[c].scale);
  if (largest == 0) return;
  for (std::size_t c = 0; c < params.size(); ++c)
    if (is_zero(c)) params[c].scale = largest;
}

/// Grows the string part by part: a string fills new bytes with zeros, and these are still in the nearest cache then.
template <class Q, class Scales>
void append_quantized(std::span<const float> values, std::size_t following, const QParams& params, Scales scales,
                      std::string& to) {
  while (!values.empty()) {
    const std::size_t count = std::min<std::size_t>(values.size(), 2048), end = to.size();
    to.resize(end + count * sizeof(Q));
    const std::span codes(reinterpret_cast<Q*>(to.data() + end), count);
    quantize_all(values.first(count), codes, params, scales, values.size() - count + following);
    values = values.subspan(count);
    scales = scales.from(count);
  }
}

/// params_of: returns the q-params of a row. If it has just computed them, the row is still in the cache.
template <class Q>
Tensor quantize_rows(const Tensor& tensor, const Rows& rows,
                     const std::function<const QParams&(std::size_t row, std::span<const float>)>& params_of) {
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(tensor.size()) * sizeof(Q));
  const std::span<const float> from = tensor.data<float>();
  for (std::size_t row = 0; row < rows.count; ++row) {
    const std::span<const float> values = from.subspan(row * rows.length, rows.length);
    const std::size_t following = from.size() - (row + 1) * rows.length;
    const QParams& params = params_of(row, values);
    append_quantized<Q>(values, following, params, SharedScale{params.scale}, bytes);
  }
  return Tensor::own(dtype_of<Q>, tensor.dims(), std::move(bytes));
}

/// The same for rows of single values: their channels differ only in scale.
template <class Q>
Tensor quantize_columns(const Tensor& tensor, const std::vector<QParams>& params) {
  std::vector<float> scales;
  for (const QParams& q : params) scales.push_back(q.scale);
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(tensor.size()) * sizeof(Q));
  std::span<const float> left = tensor.data<float>();
  while (!left.empty()) {
    const std::span<const float> row = left.first(scales.size());
    left = left.subspan(row.size());
    append_quantized<Q>(row, left.size(), params[0], ScaleOfEach{scales.data()}, bytes);
  }
  return Tensor::own(dtype_of<Q>, tensor.dims(), std::move(bytes));
}

/// Elements divided by the scales of their channels, as f8e4m3fn.
inline Tensor as_float8(const Tensor& tensor, const Rows& rows, std::span<const QParams> params) {
  std::vector<float> values = tensor.to<float>();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] /= params[i / rows.length % rows.channels].scale;
  return Tensor::of<float>(DType::f8e4m3fn, tensor.dims(), values);
}

}  // namespace detail

GRAFT_INLINE QuantizedTensor quantize_tensor(const Tensor& tensor, DType dtype, std::optional<std::size_t> axis,
                                             int bits, Clipping clipping) {
  if (dtype != DType::i8 && dtype != DType::u8 && dtype != DType::f8e4m3fn)
    throw Error("tensors are quantized symmetrically to i8, u8 or f8e4m3fn, not " + std::string(to_string(dtype)));
  if (axis && *axis >= tensor.rank())
    throw Error("cannot be quantized along axis " + std::to_string(*axis) + ": it has rank " +
                std::to_string(tensor.rank()));
  const detail::Rows rows(tensor.dims(), axis);
  std::vector<Range> ranges(rows.channels);
  std::vector<QParams> params(rows.channels);
  const auto choose = [&](std::size_t channel) { params[channel] = symmetric_qparams(ranges[channel], dtype, bits); };
  Tensor kept = tensor;
  const bool is_float8 = dtype == DType::f8e4m3fn;
  const bool row_by_row =
      !is_float8 && clipping == Clipping::none && rows.count == rows.channels && !rows.are_single_values();
  if (!row_by_row) {
    ranges = detail::channel_ranges(tensor.data<float>(), rows);
    if (clipping == Clipping::squared_error) {
      ranges = detail::clipped_ranges(tensor.data<float>(), rows, bits);
      kept = detail::clipped(tensor, rows, ranges);
    }
    for (std::size_t channel = 0; channel < rows.channels; ++channel) choose(channel);
  }
  const auto params_of = [&](std::size_t row, std::span<const float> values) -> const QParams& {
    if (row_by_row) {
      ranges[row] = detail::finite_range(values);
      choose(row);
    }
    return params[row % rows.channels];
  };
  const auto quantized_as = [&]<class Q>(Q) {
    return rows.are_single_values() ? detail::quantize_columns<Q>(kept, params)
                                    : detail::quantize_rows<Q>(kept, rows, params_of);
  };
  Tensor data = is_float8            ? detail::as_float8(kept, rows, params)
                : dtype == DType::i8 ? quantized_as(std::int8_t{})
                                     : quantized_as(std::uint8_t{});
  detail::lend_scales(params, ranges);  // zeros have the same code in any scale

  std::vector<float> scales;
  std::vector<std::int32_t> zero_points;
  for (const QParams& q : params) {
    scales.push_back(q.scale);
    zero_points.push_back(q.zero_point);
  }
  const Dims dims = axis ? Dims{static_cast<std::int64_t>(rows.channels)} : Dims{};
  return {std::move(data), Tensor::of<float>(dims, scales), Tensor::of<std::int32_t>(dtype, dims, zero_points), axis};
}

GRAFT_INLINE std::vector<float> QuantizedTensor::values() const {
  std::vector<float> values = data.to<float>();
  const std::vector<float> scales = scale.to<float>(), zeros = zero_point.to<float>();
  const detail::Rows rows(data.dims(), axis);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t channel = i / rows.length % rows.channels;
    values[i] = (values[i] - (zeros.empty() ? 0 : zeros[channel])) * scales[channel];
  }
  return values;
}

GRAFT_INLINE QuantizedTensor quantize_tensor(const Tensor& tensor, const QParams& q) {
  const detail::Rows rows(tensor.dims(), std::nullopt);
  const auto params_of = [&q](std::size_t, std::span<const float>) -> const QParams& { return q; };
  const auto data = [&]() -> Tensor {
    switch (q.dtype) {
      case DType::u8: return detail::quantize_rows<std::uint8_t>(tensor, rows, params_of);
      case DType::i8: return detail::quantize_rows<std::int8_t>(tensor, rows, params_of);
      case DType::u16: return detail::quantize_rows<std::uint16_t>(tensor, rows, params_of);
      case DType::i16: return detail::quantize_rows<std::int16_t>(tensor, rows, params_of);
      case DType::f8e4m3fn: return detail::as_float8(tensor, rows, {&q, 1});
      default: throw Error("tensors are quantized to 8 or 16 bits");
    }
  };
  return {data(), Tensor::scalar(q.scale), Tensor::of<std::int32_t>(q.dtype, {}, {q.zero_point}), std::nullopt};
}

}  // namespace graft::inline v1
