#pragma once
#include <graft/evaluate/detail/kernel_table.hpp>

#include <graft/config.hpp>
#include <graft/graph/model.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Kernels& Kernels::add(std::string_view op, Opsets opsets, Kernel kernel, ClampOf clamp) {
  added_.add(op, opsets, {std::move(kernel), std::move(clamp)});
  return *this;
}

GRAFT_INLINE const Kernel* Kernels::find(std::string_view domain, std::string_view op_type, int opset) const {
  if (const Entry* const added = added_.find(domain, op_type, opset)) return &added->kernel;
  return base_ == nullptr ? nullptr : base_->find(domain, op_type, opset);
}

GRAFT_INLINE const Kernel* Kernels::find(const Node& node) const {
  const std::string_view domain = node.domain(), op_type = node.op_type();
  if (const Entry* const added = added_.find(domain, op_type, node.opset())) return &added->kernel;
  if (const Kernel* const own = node.graph().model().operators().kernel(domain, op_type)) return own;
  return base_ == nullptr ? nullptr : base_->find(domain, op_type, node.opset());
}

GRAFT_INLINE std::optional<Clamp> Kernels::clamp(const Node& node) const {
  const std::string_view domain = node.domain(), op_type = node.op_type();
  const Entry* entry = added_.find(domain, op_type, node.opset());
  if (entry == nullptr && base_ != nullptr && node.graph().model().operators().kernel(domain, op_type) == nullptr)
    entry = base_->added_.find(domain, op_type, node.opset());
  return entry == nullptr || !entry->clamp ? std::nullopt : entry->clamp(node);
}

}  // namespace graft::inline v1
