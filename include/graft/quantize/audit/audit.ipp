#pragma once
#include <graft/quantize/audit/audit.hpp>

#include <unordered_map>
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
  for (const OperatorOutcome& one : within)
    if (one.op == op) result.within.push_back(one);
  return result;
}

GRAFT_INLINE bool Audit::has_errors() const {
  for (const OperatorOutcome& finding : findings)
    if (finding.severity == Severity::error && finding.form != OperatorForm::left_out) return true;
  return false;
}

GRAFT_INLINE std::string to_string(const Audit& audit) {
  std::string text;
  for (const OperatorOutcome& finding : audit.findings) text += to_string(finding) + "\n";
  return text;
}

GRAFT_INLINE Audit audit(const Graph& graph, const Target& target) {
  Audit result;
  detail::Surroundings around(target);
  std::unordered_map<const Node*, const Node*> kernels;  // of nodes that vanish into one
  for (const Node& node : graph.nodes()) {
    const KernelView view(node, target, ConditionStage::quantized, around);
    const auto kernel = kernels.find(&node);
    const bool is_float_movement =
        view.moves_values() && view.operands().front() == nullptr && !view.is_quantized(view.result());
    OperatorOutcome outcome = outcome_of(view);
    if (is_float_movement && kernel == kernels.end() && outcome.severity != Severity::error) continue;
    const bool has_kernel = view.kernel.form != KernelForm::none;
    if (kernel != kernels.end() && outcome.severity != Severity::error && !(has_kernel && outcome.fused())) {
      outcome = OperatorOutcome::of(node, OperatorForm::within);
      outcome.within = display_name(*kernel->second);
      result.within.push_back(std::move(outcome));
      continue;
    }
    if (has_kernel && outcome.fused())
      for (const Node* const other : nodes_within(view)) kernels.try_emplace(other, &node);
    if (has_kernel || !outcome.code.empty()) result.findings.push_back(std::move(outcome));
  }
  return result;
}

}  // namespace graft::inline v1
