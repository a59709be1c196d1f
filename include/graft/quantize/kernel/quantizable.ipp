#pragma once
#include <graft/quantize/kernel/quantizable.hpp>

#include <graft/config.hpp>
#include <graft/quantize/kernel/condition.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Verdict quantizable(const Node& node, const Target& target) {
  detail::Surroundings around(target);
  return first_failed(KernelView(node, target, ConditionStage::planned, around), ConditionStage::planned).verdict;
}

}  // namespace graft::inline v1
