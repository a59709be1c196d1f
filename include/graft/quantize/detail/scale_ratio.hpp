#pragma once
#include <cstddef>

#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/quantize/target/target.hpp>

namespace graft::inline v1::detail {

/// The number of elements of which each element of the result is the mean, as far as this is known.
inline double averaged_elements(const Node& node) {
  if (!node.is("GlobalAveragePool") || node.input(0) == nullptr) return 1;
  const Shape shape = node.input(0)->shape();
  double count = 1;
  for (std::size_t axis = 2; axis < shape.rank(); ++axis)
    if (shape[axis].known() && shape[axis].value() > 0) count *= static_cast<double>(shape[axis].value());
  return count;
}

/// Whether the kernel can requantize from this scale of an operand to that of the result.
inline bool is_scale_ratio_in_reach(const Node& node, const IntegerKernel& kernel, double operand, double result) {
  if (kernel.scale_ratio == 0) return true;
  const double most = double{kernel.scale_ratio};
  return operand < result * most * averaged_elements(node) && result < operand * most;
}

}  // namespace graft::inline v1::detail
