#pragma once
#include <graft/qonnx/convert/detail/quantize_constant.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>
#include <graft/qonnx/ops/formats.hpp>

namespace graft::inline v1::qonnx::detail {

/// The elements of a parameter for the elements of x, in order.
class Broadcast {
 public:
  Broadcast(const Tensor& parameter, const Dims& to) : values_(parameter.data<float>()) {
    if (parameter.rank() > to.size()) refuse(parameter, to);
    std::int64_t step = 1;
    for (std::size_t i = 0; i < to.size(); ++i) {  // from the last axis
      const std::int64_t extent = i < parameter.rank() ? parameter.dims()[parameter.rank() - 1 - i] : 1;
      if (extent != 1 && extent != to[to.size() - 1 - i]) refuse(parameter, to);
      axes_.push_back({to[to.size() - 1 - i], extent == 1 ? 0 : step});
      step *= extent;
    }
  }
  float operator*() const { return values_[static_cast<std::size_t>(offset_)]; }
  void advance() {
    if (values_.size() == 1) return;
    for (Axis& axis : axes_) {
      offset_ += axis.step;
      if (++axis.index < axis.extent) return;
      offset_ -= axis.step * axis.extent;
      axis.index = 0;
    }
  }

 private:
  struct Axis {
    std::int64_t extent, step, index = 0;
  };
  [[noreturn]] static void refuse(const Tensor& parameter, const Dims& to) {
    throw Error("a parameter of shape " + graft::to_string(parameter.dims()) + " does not broadcast to " +
                graft::to_string(to));
  }

  std::span<const float> values_;
  std::vector<Axis> axes_;
  std::int64_t offset_ = 0;
};

GRAFT_INLINE QuantizedValues quantize_constant(const Tensor& x, const Quantizer& quantizer) {
  Broadcast scale(quantizer.scale, x.dims()), zero_point(quantizer.zero_point, x.dims());
  Broadcast bits(quantizer.bits, x.dims());
  const Tensor empty(DType::f32, x.dims());
  QuantizedValues result{empty, empty, empty};
  const std::span<const float> from = x.data<float>();
  const std::span<float> integers = result.integers.mutable_data<float>();
  const std::span<float> steps = result.steps.mutable_data<float>();
  const std::span<float> values = result.values.mutable_data<float>();
  IntegerRange range;
  float bits_of_range = NAN;
  for (std::size_t i = 0; i < from.size(); ++i) {
    float v = from[i] / *scale + *zero_point;
    if (is_bipolar(*bits, quantizer.is_signed)) {
      v = v >= 0 ? 1.0F : -1.0F;
    } else {
      if (*bits != bits_of_range) {
        bits_of_range = *bits;
        range = integer_range(*bits, quantizer.is_signed, quantizer.is_narrow);
      }
      v = v > range.max ? range.max : v;
      v = v < range.min ? range.min : v;
      v = round(v, quantizer.rounding);
    }
    integers[i] = v;
    steps[i] = v - *zero_point;
    values[i] = steps[i] * *scale;
    scale.advance();
    zero_point.advance();
    bits.advance();
  }
  return result;
}

}  // namespace graft::inline v1::qonnx::detail
