#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/convert/detail/clamp.hpp>
#include <graft/qonnx/ops/formats.hpp>
#include <graft/rewrite/rewriter.hpp>

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

/// Makes the steps of quantizers, one by one, as float operators.
class FloatSteps {
 public:
  /// hint: how constants are called.
  FloatSteps(Rewriter& rewriter, std::string hint) : rewriter_(rewriter), hint_(std::move(hint)) {}

  Value& op(std::string_view op_type, std::initializer_list<Value*> inputs);
  Value& number(float value);
  Value& constant(Tensor tensor);

  Value& divided(Value& x, Value& by);  ///< x itself if that is 1
  Value& multiplied(Value& x, Value& by);
  /// "Add" or "Sub" of a zero point; x itself if that is 0.
  Value& moved(std::string_view op_type, Value& x, Value& zero_point);
  /// 1 where x >= 0, else -1: also where x is NaN.
  Value& sign(Value& x);
  /// To [lowest, highest], which are float32 and broadcast to x; x itself if they are infinite.
  Value& clamped(Value& x, const Tensor& lowest, const Tensor& highest);
  Value& rounded(Value& x, RoundingMode mode);

 private:
  Value& signed_like(Value& x, Value& magnitude);

  Rewriter& rewriter_;
  std::string hint_;
};

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/detail/quant_steps.ipp>
#endif
