#pragma once
#include <algorithm>

#include <graft/graph/node.hpp>
#include <graft/quantize/target/target.hpp>

namespace graft::inline v1::detail {

inline bool holds(const AttributeCondition& condition, const Node& node) {
  const onnx::AttributeProto* const given = condition.name.empty() ? nullptr : node.attribute(condition.name);
  if (given == nullptr) return false;
  return condition.number ? given->i() == *condition.number : condition.text.empty() || given->s() == condition.text;
}

/// The first attribute of the node that its integer kernel lacks; nullptr if there is none.
inline const LackedAttributes* lacked_attributes(const Node& node, const IntegerKernel& kernel) {
  const auto found = std::find_if(kernel.lacks.begin(), kernel.lacks.end(), [&](const LackedAttributes& lacked) {
    return node.opset() >= lacked.since && holds(lacked.one, node) &&
           (lacked.other.name.empty() || holds(lacked.other, node)) && !holds(lacked.unless, node);
  });
  return found != kernel.lacks.end() ? &*found : nullptr;
}

}  // namespace graft::inline v1::detail
