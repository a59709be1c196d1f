#pragma once
#include <cmath>
#include <cstddef>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>

namespace graft::inline v1::qonnx {

/// The range of a tensor's values, for the whole tensor or by channel, and the steps of which they are multiples.
struct TensorRange {
  /// One number, or one for each channel along `axis`.
  std::vector<double> min{-INFINITY}, max{INFINITY};
  std::size_t axis = 0;
  /// Every value is an integer times the step: one step, or one for each channel along `step_axis`; empty if unknown.
  std::vector<double> step{};
  std::size_t step_axis = 0;

  /// The range of a whole tensor; for integers, the step is 1.
  static TensorRange of(double min, double max, std::vector<double> step = {}) {
    return {{min}, {max}, 0, std::move(step), 0};
  }

  bool is_per_channel() const { return min.size() > 1; }
  /// Merges the channels to one range of the whole tensor.
  TensorRange whole() const;
  /// Whether both ends are finite in every channel.
  bool is_bounded() const;
  void forget_steps();

  friend bool operator==(const TensorRange&, const TensorRange&) = default;
};

/// "[-1, 2]", or "[-1, 2] [0, 3] along axis 1" of two channels.
std::string to_string(const TensorRange& range);
std::ostream& operator<<(std::ostream& out, const TensorRange& range);

}  // namespace graft::inline v1::qonnx
