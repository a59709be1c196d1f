#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/quantizer.hpp>

namespace graft::inline v1::qonnx::detail {

/// Whether all elements are equal. Precondition: float32.
bool is_uniform(const Tensor& tensor);

/// Scales and zero points in the form of QuantizeLinear: one of each, or one of each for each index of an axis.
struct AlongAxis {
  std::optional<std::size_t> axis;
  std::vector<float> scales, zero_points;

  Dims dims() const { return axis ? Dims{static_cast<std::int64_t>(scales.size())} : Dims{}; }
};

/// The parameters of a Quant along an axis of its input, to which they are aligned from the right. nullopt, and the
/// reason, if there is no such axis, or if zero points are not integers. Precondition: check_float_quantizer().
std::optional<AlongAxis> along_axis(const Quantizer& quantizer, const Shape& x, std::string& why);

}  // namespace graft::inline v1::qonnx::detail
