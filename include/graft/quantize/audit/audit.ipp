#pragma once
#include <graft/quantize/audit/audit.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/kernel/condition.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::size_t Audit::fused() const {
  std::size_t count = 0;
  for (const OperatorOutcome& finding : findings) count += finding.fused();
  return count;
}

GRAFT_INLINE Audit Audit::of(std::string_view op) const {
  Audit result;
  for (const OperatorOutcome& finding : findings)
    if (finding.op == op) result.findings.push_back(finding);
  return result;
}

GRAFT_INLINE bool Audit::has_errors() const {
  for (const OperatorOutcome& finding : findings)
    if (finding.severity == Severity::error) return true;
  return false;
}

GRAFT_INLINE std::string to_string(const Audit& audit) {
  std::string text;
  for (const OperatorOutcome& finding : audit.findings) text += to_string(finding) + "\n";
  return text;
}

GRAFT_INLINE Audit audit(const Graph& graph, const Target& target) {
  Audit result;
  detail::OperandSources sources(target);
  for (const Node& node : graph.nodes()) {
    const KernelView view(node, target, ConditionStage::quantized, sources);
    if (view.moves_values() && view.operands().front() == nullptr && !view.is_quantized(view.result())) continue;
    OperatorOutcome outcome = outcome_of(view);
    const bool has_kernel = view.kernel.form != KernelForm::none;
    if (has_kernel || !outcome.code.empty()) result.findings.push_back(std::move(outcome));
  }
  return result;
}

}  // namespace graft::inline v1
