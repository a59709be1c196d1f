#pragma once
#include <graft/precision/float_target.hpp>

#include <string>

#include <graft/config.hpp>

namespace graft::inline v1 {

GRAFT_INLINE bool FloatKernels::compute(const Node& node) const {
  return node.is_any_of(exceptions) != others;
}

GRAFT_INLINE bool FloatTarget::computes(const Node& node, DType dtype) const {
  if (dtype == DType::f16) return f16.compute(node);
  return dtype != DType::bf16 || bf16.compute(node);
}

namespace float_targets {

GRAFT_INLINE Registry<FloatTarget> all() {
  Registry<FloatTarget> targets("target");
  for (const FloatTarget& target : {onnx, ort_cpu, tensorrt}) targets.add(std::string(target.name), target);
  return targets;
}

}  // namespace float_targets

}  // namespace graft::inline v1
