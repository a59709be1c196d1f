#pragma once
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include <graft/qonnx/datatype/tensor_range.hpp>

namespace graft::inline v1::qonnx::detail {

/// A constant weight by outputs: for each output channel and each of its input channels, the sum of the positive
/// weights and that of the negative ones.
struct Taps {
  std::size_t outputs = 0;
  std::size_t inputs = 0;  ///< number of input channels of each output
  std::size_t groups = 1;
  std::vector<double> positive{}, negative{};

  Taps(std::size_t output_count, std::size_t input_count, std::size_t group_count)
      : outputs(output_count),
        inputs(input_count),
        groups(group_count),
        positive(output_count * input_count),
        negative(output_count * input_count) {}

  void add(std::size_t output, std::size_t input, double weight) {
    (weight > 0 ? positive : negative)[output * inputs + input] += weight;
  }
  /// The first input channel of an output.
  std::size_t first_input(std::size_t output) const { return output / (outputs / groups) * inputs; }
};

/// A weight of 0 gives 0 even for an unbounded input.
inline double times(double weight, double x) { return weight == 0 ? 0 : weight * x; }

/// The range of each output. The input's range is whole, or has all input channels.
inline TensorRange sums(const Taps& taps, const TensorRange& x) {
  TensorRange result;
  result.min.assign(taps.outputs, 0);
  result.max.assign(taps.outputs, 0);
  for (std::size_t m = 0; m < taps.outputs; ++m) {
    for (std::size_t c = 0; c < taps.inputs; ++c) {
      const std::size_t channel = x.is_per_channel() ? taps.first_input(m) + c : 0;
      const double up = taps.positive[m * taps.inputs + c], down = taps.negative[m * taps.inputs + c];
      result.min[m] += times(up, x.min[channel]) + times(down, x.max[channel]);
      result.max[m] += times(up, x.max[channel]) + times(down, x.min[channel]);
    }
    if (std::isnan(result.min[m])) result.min[m] = -INFINITY;
    if (std::isnan(result.max[m])) result.max[m] = INFINITY;
  }
  return result;
}

/// The number in steps, if that is an integer up to float32 rounding; nullopt if it is not.
inline std::optional<double> in_steps(double number, double step) {
  if (step == 0) return std::nullopt;
  const double steps = number / step, nearest = std::nearbyint(steps);
  if (!std::isfinite(steps) || std::fabs(steps - nearest) > 1e-6 * std::fmax(1, std::fabs(steps))) return std::nullopt;
  return nearest;
}

}  // namespace graft::inline v1::qonnx::detail
