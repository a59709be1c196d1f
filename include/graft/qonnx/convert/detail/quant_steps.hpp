#pragma once
#include <vector>

#include <graft/qonnx/convert/detail/clamp.hpp>
#include <graft/qonnx/ops/integer_range.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>

namespace graft::inline v1::qonnx::detail {

/// What integer a Quant makes of a float behind a clamp, in its float32 arithmetic, as a function of that float alone.
/// It is monotone, as every part of it is.
struct QuantSteps {
  float scale = 1, zero_point = 0;
  IntegerRange range{};
  RoundingMode rounding = RoundingMode::half_even;
  bool is_bipolar = false;  ///< to -1 and 1, by the sign
  bool divides = true;      ///< by the scale; BipolarQuant looks at the sign of x itself
  Clamp clamp{};

  float operator()(float x) const;
  float lowest() const;
  float highest() const;
  /// From one integer to the next.
  float step() const { return is_bipolar ? 2.0F : 1.0F; }

  /// The smallest float of which this makes the integer, or a greater one, which must not be above highest().
  float threshold(float integer) const;
  /// That of each integer above the lowest one.
  std::vector<float> thresholds() const;
};

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/detail/quant_steps.ipp>
#endif
