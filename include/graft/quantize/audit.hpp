#pragma once
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/detail/one_dtype_audit.hpp>
#include <graft/quantize/detail/same_qparams_audit.hpp>
#include <graft/quantize/detail/weighted_audit.hpp>
#include <graft/quantize/finding.hpp>
#include <graft/quantize/quantizable.hpp>
#include <graft/quantize/target.hpp>

namespace graft::inline v1 {

/// What becomes of the operators that the target could compute in integers, in topological order.
struct Audit {
  std::vector<Finding> findings;

  std::size_t fused() const {
    std::size_t count = 0;
    for (const Finding& finding : findings) count += finding.fused;
    return count;
  }
  /// The findings of one operator: "Conv".
  Audit of(std::string_view op) const {
    Audit result;
    for (const Finding& finding : findings)
      if (finding.op == op) result.findings.push_back(finding);
    return result;
  }
  /// Whether the model would be refused, or give wrong results without a word.
  bool has_errors() const {
    for (const Finding& finding : findings)
      if (finding.severity == Severity::error) return true;
    return false;
  }
};

/// A line for each finding.
inline std::string to_string(const Audit& audit) {
  std::string text;
  for (const Finding& finding : audit.findings) text += to_string(finding) + "\n";
  return text;
}
inline std::ostream& operator<<(std::ostream& out, const Audit& audit) { return out << to_string(audit); }

/// Predicts, for every operator that the target has an integer kernel for, whether the runtime will use it; of those
/// that only move values, the ones beside quantizers. Bodies of the graph's nodes and functions are scopes of their
/// own, to be audited each by itself. What keeps a kernel from being used are the rows of the tables in detail/, each a
/// code, a check and a remedy.
inline Audit audit(const Graph& graph, const Target& target) {
  Audit result;
  for (const Node& node : graph.nodes()) {
    const IntegerKernel* const kernel = integer_kernel(node, target);
    if (kernel == nullptr || node.output_count() == 0) continue;
    const detail::AuditedNode audited(node, *kernel, target);
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
