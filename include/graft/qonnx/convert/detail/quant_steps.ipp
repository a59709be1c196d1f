#pragma once
#include <graft/qonnx/convert/detail/quant_steps.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include <graft/config.hpp>

namespace graft::inline v1::qonnx::detail {

/// The floats in their order, as integers: neighbours are one apart, and both zeros are 0.
inline std::int64_t position(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  return bits >= 0 ? bits : std::numeric_limits<std::int32_t>::min() - std::int64_t{bits};
}

inline float float_at(std::int64_t position) {
  const std::int64_t bits = position >= 0 ? position : std::numeric_limits<std::int32_t>::min() - position;
  return std::bit_cast<float>(static_cast<std::int32_t>(bits));
}

GRAFT_INLINE float QuantSteps::operator()(float x) const {
  const float clamped = clamp(x), steps = (divides ? clamped / scale : clamped) + zero_point;
  if (is_bipolar) return steps >= 0 ? 1.0F : -1.0F;
  return round(std::max(std::min(steps, range.max), range.min), rounding);
}

GRAFT_INLINE float QuantSteps::lowest() const { return (*this)(-std::numeric_limits<float>::infinity()); }

GRAFT_INLINE float QuantSteps::highest() const { return (*this)(std::numeric_limits<float>::infinity()); }

GRAFT_INLINE float QuantSteps::threshold(float integer) const {
  std::int64_t below = position(-std::numeric_limits<float>::infinity()) - 1,
               reached = position(std::numeric_limits<float>::infinity());
  while (reached - below > 1) {
    const std::int64_t middle = below + (reached - below) / 2;
    ((*this)(float_at(middle)) >= integer ? reached : below) = middle;
  }
  return float_at(reached);
}

GRAFT_INLINE std::vector<float> QuantSteps::thresholds() const {
  std::vector<float> found;
  const float most = highest();
  for (float integer = lowest() + step(); integer <= most; integer += step()) found.push_back(threshold(integer));
  return found;
}

}  // namespace graft::inline v1::qonnx::detail
