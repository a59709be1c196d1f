#pragma once
#include <graft/qdq/clipping.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qdq/quantize_data.hpp>

namespace graft::inline v1 {

GRAFT_INLINE double squared_error(std::span<const float> values, float magnitude, int bits) {
  const float scale = symmetric_qparams({-magnitude, magnitude}, DType::i8, bits).scale;
  const auto highest = static_cast<float>((1 << (bits - 1)) - 1);
  std::array<double, 16> sums{};  // the width of vector instructions
  const auto add = [&](std::size_t lane, float x) {
    const float error = static_cast<float>(detail::quantize_one(x, scale, -highest, highest, 0)) * scale - x;
    sums[lane] += static_cast<double>(error) * error;
  };
  std::size_t i = 0;
  for (; i + sums.size() <= values.size(); i += sums.size())
    for (std::size_t lane = 0; lane < sums.size(); ++lane) add(lane, values[i + lane]);
  for (; i < values.size(); ++i) add(0, values[i]);
  double sum = 0;
  for (const double lane : sums) sum += lane;
  return sum;
}

GRAFT_INLINE float least_error_magnitude(std::span<const float> values, int bits) {
  float greatest = 0;
  for (const float x : values) greatest = std::max(greatest, std::abs(x));
  float best = greatest;
  double least = std::numeric_limits<double>::infinity();
  for (int percent = 100; percent >= 10 && greatest > 0; --percent) {
    const float magnitude = greatest * static_cast<float>(percent) / 100;
    const double error = squared_error(values, magnitude, bits);
    if (error < least) {
      least = error;
      best = magnitude;
    }
  }
  return best;
}

}  // namespace graft::inline v1
