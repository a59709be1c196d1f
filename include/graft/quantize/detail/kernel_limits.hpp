#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/quantize/kernel/target.hpp>

// What integer kernels cannot do.
namespace graft::inline v1::detail {

inline bool holds(const AttributeCondition& condition, const Node& node) {
  const onnx::AttributeProto* const given = condition.name.empty() ? nullptr : node.attribute(condition.name);
  if (given == nullptr) return false;
  if (condition.but)
    return std::ranges::any_of(given->ints(), [&](std::int64_t one) { return one != *condition.but; });
  return condition.number ? given->i() == *condition.number : condition.text.empty() || given->s() == condition.text;
}

/// The first that the node has of what its integer kernel has not; nullptr if there is none.
inline const LackedAttributes* lacked_attributes(const Node& node, const IntegerKernel& kernel) {
  const auto found = std::find_if(kernel.lacks.begin(), kernel.lacks.end(), [&](const LackedAttributes& lacked) {
    return node.opset() >= lacked.since && holds(lacked.one, node) &&
           (lacked.other.name.empty() || holds(lacked.other, node)) && !holds(lacked.unless, node);
  });
  return found != kernel.lacks.end() ? &*found : nullptr;
}

/// Of how many elements each of the result is the mean, as far as that is known.
inline double averaged_elements(const Node& node) {
  if (!node.is("GlobalAveragePool") || node.input(0) == nullptr) return 1;
  const Shape shape = node.input(0)->shape();
  double count = 1;
  for (std::size_t axis = 2; axis < shape.rank(); ++axis)
    if (shape[axis].known() && shape[axis].value() > 0) count *= static_cast<double>(shape[axis].value());
  return count;
}

/// Whether the kernel computes from this scale of an operand to that of the result.
inline bool is_scale_ratio_in_reach(const Node& node, const IntegerKernel& kernel, double operand, double result) {
  if (kernel.scale_ratio == 0) return true;
  const double most = double{kernel.scale_ratio};
  return operand < result * most * averaged_elements(node) && result < operand * most;
}

/// Whether a Softmax is known to be over one element. Until version 12 it is over all axes from its own on.
inline bool is_softmax_of_one(const Node& node) {
  if (!node.is("Softmax") || node.input(0) == nullptr) return false;
  const Shape shape = node.input(0)->shape();
  const auto rank = static_cast<std::int64_t>(shape.rank());
  const bool is_flat = node.opset() < 13;
  std::int64_t axis = node.attr<std::int64_t>("axis").value_or(is_flat ? 1 : -1);
  if (axis < 0) axis += rank;
  if (!shape.known() || axis < 0 || axis >= rank) return false;
  for (std::int64_t i = axis; i < (is_flat ? rank : axis + 1); ++i) {
    const Dim dim = shape[static_cast<std::size_t>(i)];
    if (!dim.known() || dim.value() != 1) return false;
  }
  return true;
}

}  // namespace graft::inline v1::detail
