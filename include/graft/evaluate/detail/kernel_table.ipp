#pragma once
#include <graft/evaluate/detail/kernel_table.hpp>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/op_id.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Kernels& Kernels::add(std::string_view op, Opsets opsets, Kernel kernel, ClampOf clamp) {
  const OpName name = OpName::parse(op);
  if (name.op_type.empty()) throw Error("a kernel needs the name of an operator");
  entries_[key(name.domain, name.op_type)].push_back({opsets, std::move(kernel), std::move(clamp)});
  return *this;
}

GRAFT_INLINE const Kernel* Kernels::find(std::string_view domain, std::string_view op_type, int opset) const {
  const Entry* entry = find_entry(domain, op_type, opset);
  return entry == nullptr ? nullptr : &entry->kernel;
}

GRAFT_INLINE std::optional<Clamp> Kernels::clamp(const Node& node) const {
  const Entry* entry = find_entry(node.domain(), node.op_type(), node.opset());
  return entry == nullptr || !entry->clamp ? std::nullopt : entry->clamp(node);
}

GRAFT_INLINE const Kernels::Entry* Kernels::find_entry(std::string_view domain, std::string_view op_type,
                                                       int opset) const {
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
