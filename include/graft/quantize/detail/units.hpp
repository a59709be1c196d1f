#pragma once
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/detail/lost_in_steps.hpp>
#include <graft/quantize/detail/merged_sum.hpp>
#include <graft/quantize/detail/pair_qparams.hpp>
#include <graft/quantize/kept_in_float.hpp>
#include <graft/quantize/quantizable.hpp>
#include <graft/quantize/target.hpp>

namespace graft::inline v1::detail {

/// An operator with an integer kernel, and the activations behind it that vanish into it.
struct Unit {
  Node* node;
  const IntegerKernel* kernel;
  std::vector<const Node*> row;   ///< those activations
  Value* result;                  ///< behind them; where values are moved, the first of the results
  bool may_end_in_float = false;  ///< nothing needs to quantize the result

  bool moves_values() const { return kernel->form == KernelForm::same_qparams; }

  /// Calls f(input) for each that is to be quantized and is no weight or bias.
  template <class F>
  void for_each_operand(F f) const {
    const bool is_weighted = kernel->form == KernelForm::weighted;
    const std::size_t end = is_weighted ? 2 : operand_end(*node, *kernel);
    for (std::size_t i = is_weighted ? 0 : kernel->first_operand; i < end; ++i)
      if (!is_weighted || !node->input(i)->is_constant()) f(i);
  }
  /// Calls f(value) for each.
  template <class F>
  void for_each_result(F f) const {
    if (!moves_values()) return f(*result);
    for (Value& output : node->outputs())
      if (!output.name().empty()) f(output);
  }
};

/// Whether what reads the result is an activation that a kernel waits for a quantizer to take away.
inline bool waits_for_quantizer(const Value& y, const Target& target) {
  for (const Use& use : y.uses()) {
    if (use.is_graph_output()) continue;
    const FusedActivation* const entry = fused_activation(*use.user(), target);
    if (entry != nullptr && entry->when == Fuses::when_redundant) return true;
  }
  return false;
}

struct Units {
  /// An operator that the target has a kernel for, and why its values had better not be quantized.
  struct Refused {
    Node* node;
    std::string_view reason;
  };

  std::vector<Unit> units;
  std::vector<Refused> refused;
};

/// Whether the runtime would make a Gemm of it that is computed in float, were its result not quantized.
inline bool merges_into_float(const Node& node, const IntegerKernel& kernel) {
  const Node* const sum = kernel.has(KernelQuirk::merges_with_add) ? sum_behind(*node.output(0)) : nullptr;
  return sum != nullptr && merges_into_gemm(node, *sum);
}

/// In the order of the graph.
inline Units find_units(Graph& graph, const PairQParams& qparams, const Target& target, const KeptInFloat& kept) {
  const LostInSteps lost(graph, qparams.ranges(), qparams.dtypes(), target, kept);
  Units found;
  for (Node& node : graph.nodes()) {
    const IntegerKernel* const kernel = integer_kernel(node, target);
    if (kernel == nullptr || !quantizable(node, target, kept)) continue;
    if (const Verdict verdict = lost.keeps(node, *kernel); !verdict) {
      found.refused.push_back({&node, verdict.reason().text});
      continue;
    }
    Unit unit{&node, kernel, {}, node.output(0)};
    if (!unit.moves_values()) {
      unit.row = qparams.deferred_row(*unit.result);
      unit.may_end_in_float = kernel->has(KernelQuirk::float_output) && unit.row.empty() &&
                              !waits_for_quantizer(*unit.result, target) && !merges_into_float(node, *kernel);
      if (!unit.row.empty()) unit.result = unit.row.back()->output(0);
    }
    found.units.push_back(std::move(unit));
  }
  return found;
}

}  // namespace graft::inline v1::detail
