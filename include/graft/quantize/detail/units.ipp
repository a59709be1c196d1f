#pragma once
#include <graft/quantize/detail/units.hpp>

#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/detail/merged_sum.hpp>
#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/detail/unquantizable_tensors.hpp>
#include <graft/quantize/kernel/deferral.hpp>

namespace graft::inline v1::detail {

/// Whether the reader of the result is an activation that the kernel absorbs only if a quantizer follows.
inline bool waits_for_quantizer(const Value& y, const Target& target) {
  for (const Use& use : y.uses()) {
    if (use.is_graph_output() || is_integer(y.dtype())) continue;
    const FusedActivation* const entry = fused_activation(*use.user(), target);
    if (entry != nullptr && entry->when == Fuses::when_redundant) return true;
  }
  return false;
}

/// Whether the runtime would merge it into a Gemm in float if its result were not quantized.
inline bool merges_into_float(const Node& node, const IntegerKernel& kernel) {
  const Node* const sum = kernel.has(KernelQuirk::merges_with_add) ? sum_behind(*node.output(0)) : nullptr;
  return sum != nullptr && merges_into_gemm(node, *sum);
}

GRAFT_INLINE std::vector<Value*> quantized_branches(const Value& result, std::span<const Node* const> row,
                                                    const Target& target) {
  std::vector<Value*> branches;
  if (!target.has(Quirk::pairs_on_one_branch)) return branches;
  const Value* from_kernel = &result;
  for (const Node* const fused : row) {
    if (Value* const other = other_branch(*fused, *from_kernel, target)) branches.push_back(other);
    from_kernel = fused->output(0);
  }
  return branches;
}

GRAFT_INLINE Units find_units(Graph& graph, const PairQParams& qparams, const Target& target, const KeptInFloat& kept) {
  const UnquantizableTensors lost(graph, qparams.ranges(), qparams.dtypes(), target, kept);
  Units found;
  std::unordered_set<const Node*> absorbed;
  for (Node& node : graph.nodes()) {
    const IntegerKernel* const kernel = integer_kernel(node, target);
    if (kernel == nullptr || absorbed.contains(&node) || !quantizable(node, target, kept)) continue;
    if (const Verdict verdict = lost.keeps(node, *kernel); !verdict) {
      found.refused.push_back({&node, verdict.reason()});
      continue;
    }
    Unit unit{&node, kernel, {}, {}, node.output(0)};
    if (!unit.moves_values()) {
      unit.row = qparams.deferred_row(*unit.result);
      unit.branches = quantized_branches(*unit.result, unit.row, target);
      const bool is_paired = !unit.row.empty() && !target.has(Quirk::pairs_on_inputs);
      unit.may_end_in_float = kernel->has(KernelQuirk::float_output) && !is_paired &&
                              !waits_for_quantizer(*unit.result, target) && !merges_into_float(node, *kernel);
      if (!unit.row.empty()) unit.result = unit.row.back()->output(0);
      absorbed.insert(unit.row.begin(), unit.row.end());
    }
    found.units.push_back(std::move(unit));
  }
  return found;
}

}  // namespace graft::inline v1::detail
