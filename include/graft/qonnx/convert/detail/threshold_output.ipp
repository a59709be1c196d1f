#pragma once
#include <graft/qonnx/convert/detail/threshold_output.hpp>

#include <algorithm>
#include <cmath>

#include <graft/config.hpp>

namespace graft::inline v1::qonnx::detail {

GRAFT_INLINE float ThresholdOutput::at(std::int64_t count) const {
  // The product is exact in double, so that compilers cannot merge the two roundings into one.
  const auto product = static_cast<float>(static_cast<double>(scale) * static_cast<double>(count));
  return static_cast<float>(static_cast<double>(product) + static_cast<double>(bias));
}

GRAFT_INLINE std::string ThresholdOutput::data_type(std::int64_t most) const {
  const float low = at(0), high = at(most);
  if (scale != std::trunc(scale) || bias != std::trunc(bias) || std::max(-low, high) > 32768) return "FLOAT32";
  if (most == 1 && low == -1 && high == 1) return "BIPOLAR";
  if (low == 0 && high == 1) return "BINARY";
  int bits = 2;
  if (low >= 0) {
    while (std::exp2(static_cast<float>(bits)) - 1 < high) ++bits;
    return "UINT" + std::to_string(bits);
  }
  while (std::exp2(static_cast<float>(bits - 1)) - 1 < high || -std::exp2(static_cast<float>(bits - 1)) > low) ++bits;
  return "INT" + std::to_string(bits);
}

GRAFT_INLINE std::string_view layout_of(std::size_t rank, std::size_t axis) {
  constexpr std::string_view first[] = {"NC", "NCW", "NCHW", "NCDHW"}, last[] = {"NC", "NWC", "NHWC", "NDHWC"};
  if (rank < 2 || rank > 5) return "";
  return axis == 1 ? first[rank - 2] : last[rank - 2];
}

GRAFT_INLINE std::optional<std::size_t> channel_axis(std::string_view layout, std::size_t rank) {
  if (layout.empty() && rank == 3) return 2;
  if (layout.empty()) return 1;
  const std::size_t axis = layout.find('C');
  return axis != std::string_view::npos && layout.size() == rank ? std::optional(axis) : std::nullopt;
}

GRAFT_INLINE std::optional<std::size_t> only_axis(const Dims& dims, std::size_t rank) {
  std::optional<std::size_t> found;
  if (dims.size() > rank) return std::nullopt;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (found) return std::nullopt;
    found = rank - dims.size() + i;
  }
  return found;
}

}  // namespace graft::inline v1::qonnx::detail
