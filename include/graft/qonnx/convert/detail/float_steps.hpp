#pragma once
#include <initializer_list>
#include <string>
#include <string_view>

#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx::detail {

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
#include <graft/qonnx/convert/detail/float_steps.ipp>
#endif
