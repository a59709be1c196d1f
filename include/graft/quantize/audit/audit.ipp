#pragma once
#include <graft/quantize/audit/audit.hpp>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/quantize/audit/detail/audit_condition.hpp>
#include <graft/quantize/audit/detail/integer_faults.hpp>
#include <graft/quantize/audit/detail/one_dtype_audit.hpp>
#include <graft/quantize/audit/detail/same_qparams_audit.hpp>
#include <graft/quantize/audit/detail/weighted_audit.hpp>
#include <graft/quantize/target/quantizable.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::size_t Audit::fused() const {
  std::size_t count = 0;
  for (const Finding& finding : findings) count += finding.fused;
  return count;
}

GRAFT_INLINE Audit Audit::of(std::string_view op) const {
  Audit result;
  for (const Finding& finding : findings)
    if (finding.op == op) result.findings.push_back(finding);
  return result;
}

GRAFT_INLINE bool Audit::has_errors() const {
  for (const Finding& finding : findings)
    if (finding.severity == Severity::error) return true;
  return false;
}

GRAFT_INLINE std::string to_string(const Audit& audit) {
  std::string text;
  for (const Finding& finding : audit.findings) text += to_string(finding) + "\n";
  return text;
}

GRAFT_INLINE Audit audit(const Graph& graph, const Target& target) {
  Audit result;
  detail::OperandSources sources(target);
  for (const Node& node : graph.nodes()) {
    const IntegerKernel* const kernel = kernel_of_any_opset(node, target);
    if (kernel == nullptr) {
      if (std::optional<Finding> fault = detail::fault_on_integers(node, target)) result.findings.push_back(*fault);
      continue;
    }
    if (node.output_count() == 0) continue;
    const detail::AuditedNode audited(node, *kernel, target, sources);
    switch (kernel->form) {
      case KernelForm::weighted:
        result.findings.push_back(detail::audited(audited, detail::weighted_conditions));
        break;
      case KernelForm::one_dtype:
      case KernelForm::one_qparams:
        result.findings.push_back(detail::audited(audited, detail::one_dtype_conditions));
        break;
      case KernelForm::same_qparams:
        if (detail::audits::same_qparams::concern(audited))
          result.findings.push_back(detail::audited(audited, detail::same_qparams_conditions));
    }
  }
  return result;
}

}  // namespace graft::inline v1
