#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/convert/detail/clamp.hpp>
#include <graft/qonnx/ops/formats.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx::detail {

/// The integer that a Quant computes for a float behind a clamp, in its float32 arithmetic, as a function of that
/// float. Each part of it is monotone, and so is the whole.
struct QuantSteps {
  float scale = 1, zero_point = 0;
  IntegerRange range{};
  RoundingMode rounding = RoundingMode::half_even;
  bool is_bipolar = false;  ///< to -1 and 1, by the sign
  bool divides = true;      ///< by the scale; BipolarQuant uses the sign of x itself
  Clamp clamp{};

  float operator()(float x) const;
  float lowest() const;
  float highest() const;
  /// The difference between consecutive integers.
  float step() const { return is_bipolar ? 2.0F : 1.0F; }

  /// The smallest float that gives the integer or a greater one. The integer must not be above highest().
  float threshold(float integer) const;
  /// The same for each integer above the lowest one.
  std::vector<float> thresholds() const;
};

/// Inserts the steps of quantizers, one by one, as float operators.
class FloatSteps {
 public:
  /// hint: the start of the constants' names.
  FloatSteps(Rewriter& rewriter, std::string hint) : rewriter_(rewriter), hint_(std::move(hint)) {}

  Value& op(std::string_view op_type, std::initializer_list<Value*> inputs);
  Value& number(float value);
  Value& constant(Tensor tensor);

  Value& divided(Value& x, Value& by);  ///< x itself if `by` is 1
  Value& multiplied(Value& x, Value& by);
  /// "Add" or "Sub" of a zero point; x itself if that is 0.
  Value& moved(std::string_view op_type, Value& x, Value& zero_point);
  /// 1 if x >= 0, else -1, also for NaN.
  Value& sign(Value& x);
  /// Clamps to [lowest, highest], which are float32 and broadcast to x; x itself if they are infinite.
  Value& clamped(Value& x, const Tensor& lowest, const Tensor& highest);
  Value& rounded(Value& x, RoundingMode mode);

 private:
  Value& signed_like(Value& x, Value& magnitude);

  Rewriter& rewriter_;
  std::string hint_;
};

}  // namespace graft::inline v1::qonnx::detail
