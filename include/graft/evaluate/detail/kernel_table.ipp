#pragma once
#include <graft/evaluate/detail/kernel_table.hpp>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/op_id.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Kernels& Kernels::add(std::string_view op, Opsets opsets, Kernel kernel, ClampOf clamp) {
  const OpName name = OpName::parse(op);
  if (name.op_type.empty()) throw Error("a kernel needs the name of an operator");
  entries_[key(name.domain, name.op_type)].push_back({opsets, std::move(kernel), std::move(clamp)});
  return *this;
}

GRAFT_INLINE const Kernel* Kernels::find(std::string_view domain, std::string_view op_type, int opset) const {
  if (const Entry* const added = find_added(domain, op_type, opset)) return &added->kernel;
  return base_ == nullptr ? nullptr : base_->find(domain, op_type, opset);
}

GRAFT_INLINE const Kernel* Kernels::find(const Node& node) const {
  const std::string_view domain = node.domain(), op_type = node.op_type();
  if (const Entry* const added = find_added(domain, op_type, node.opset())) return &added->kernel;
  if (const Kernel* const own = node.graph().model().operators().kernel(domain, op_type)) return own;
  return base_ == nullptr ? nullptr : base_->find(domain, op_type, node.opset());
}

GRAFT_INLINE std::optional<Clamp> Kernels::clamp(const Node& node) const {
  const std::string_view domain = node.domain(), op_type = node.op_type();
  const Entry* entry = find_added(domain, op_type, node.opset());
  if (entry == nullptr && base_ != nullptr && node.graph().model().operators().kernel(domain, op_type) == nullptr)
    entry = base_->find_added(domain, op_type, node.opset());
  return entry == nullptr || !entry->clamp ? std::nullopt : entry->clamp(node);
}

GRAFT_INLINE const Kernels::Entry* Kernels::find_added(std::string_view domain, std::string_view op_type,
                                                       int opset) const {
  if (entries_.empty()) return nullptr;
  const auto found = entries_.find(key(domain, op_type));
  if (found == entries_.end()) return nullptr;
  for (auto entry = found->second.rbegin(); entry != found->second.rend(); ++entry) {
    if (entry->opsets.since <= opset && opset <= entry->opsets.until) return &*entry;
  }
  return nullptr;
}

GRAFT_INLINE std::string Kernels::key(std::string_view domain, std::string_view op_type) {
  std::string text(canonical_domain(domain));
  return text.append("::").append(op_type);
}

}  // namespace graft::inline v1
