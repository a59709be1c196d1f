#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include <graft/quantize.hpp>

/// Joins bins of the histogram so that at most 512 remain.
inline nlohmann::json to_json(const graft::Histogram& histogram) {
  const std::span<const std::uint64_t> fine = histogram.counts();
  const std::size_t together = (fine.size() + 511) / 512;
  std::vector<std::uint64_t> counts(fine.empty() ? 0 : (fine.size() - 1) / together + 1);
  for (std::size_t i = 0; i < fine.size(); ++i) counts[i / together] += fine[i];
  return {{"first", fine.empty() ? 0 : histogram.edge(0)},
          {"width", histogram.width() * static_cast<double>(together)},
          {"counts", counts}};
}

/// The histogram of a constant; nullopt if it holds infinity or NaN.
inline std::optional<graft::Histogram> histogram_of(const graft::Tensor& tensor) {
  graft::Range range;
  for (const float value : tensor.data<float>()) {
    if (!std::isfinite(value)) return std::nullopt;
    range.merge({value, value});
  }
  graft::Histogram histogram;
  histogram.add(tensor, range);
  return histogram;
}

/// Counts the weights at each distance from 0, in steps of their scale. Null unless their dtype has 8 bits.
template <class T>
nlohmann::json step_counts(const graft::QuantizedTensor& weight, int bits) {
  const auto data = weight.data.data<T>();
  const std::int64_t zero_point = weight.zero_point.data<T>()[0];
  const std::int64_t reach = bits < 8 ? (std::int64_t{1} << (bits - 1)) - 1 : 256;
  const std::int64_t low = std::max(std::numeric_limits<T>::min() - zero_point, -reach);
  const std::int64_t high = std::min(std::numeric_limits<T>::max() - zero_point, reach);
  const auto [lowest, highest] = std::minmax_element(data.begin(), data.end());
  if (lowest != data.end() && (*lowest - zero_point < low || *highest - zero_point > high))
    return step_counts<T>(weight, 8);  // another tool has quantized it
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(high - low + 1));
  for (const T q : data) ++counts[static_cast<std::size_t>(q - zero_point - low)];
  const auto scales = weight.scale.data<float>();
  const auto [least, greatest] = std::minmax_element(scales.begin(), scales.end());
  return {{"bits", bits}, {"channels", weight.axis ? scales.size() : 0}, {"scale", {*least, *greatest}},
          {"low", low},   {"high", high},                                {"counts", counts}};
}

inline nlohmann::json to_json(const graft::QuantizedTensor& weight, int bits) {
  const graft::DType dtype = weight.data.dtype();
  if (weight.scale.size() == 0 || weight.zero_point.dtype() != dtype || weight.zero_point.size() == 0) return nullptr;
  if (dtype == graft::DType::i8) return step_counts<std::int8_t>(weight, bits);
  if (dtype == graft::DType::u8) return step_counts<std::uint8_t>(weight, bits);
  return nullptr;
}
