#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/graph/model.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/quantize/bias.hpp>
#include <graft/quantize/deferral.hpp>
#include <graft/quantize/detail/drop.hpp>
#include <graft/quantize/detail/extent.hpp>
#include <graft/quantize/detail/pair_qparams.hpp>
#include <graft/quantize/detail/placement_plan.hpp>
#include <graft/quantize/detail/runtime_guard.hpp>
#include <graft/quantize/detail/unit_plan.hpp>
#include <graft/quantize/kept_in_float.hpp>
#include <graft/quantize/qdq.hpp>
#include <graft/quantize/quantizable.hpp>
#include <graft/quantize/quantize_tensor.hpp>
#include <graft/quantize/quantized_constant.hpp>
#include <graft/quantize/ranges.hpp>
#include <graft/quantize/target.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

enum class Placement : std::uint8_t {
  naive,         ///< a pair behind every Conv and each activation that could vanish into it, or the first
  fusion_aware,  ///< none between a Conv and the activations that the target fuses
  conv_only,     ///< the same, and integers pass through what moves them between one Conv and the next
  everything,    ///< the same for every operator that the target computes in integers
};

namespace detail {

/// How many operators that the target has integer kernels for stand in other scopes.
inline std::size_t count_elsewhere(const Graph& graph, const Target& target) {
  std::size_t count = 0;
  for (const Graph* const scope : graph.model().scopes()) {
    if (scope == &graph) continue;
    for (const Node& node : scope->nodes()) count += is_integer_conv(node, target);
  }
  return count;
}

inline void place_pairs(const std::vector<Pair>& pairs, Report& report) {
  for (const Pair& pair : pairs) {
    if (Value* const present = dequantized(*pair.value)) {
      read_dequantized(*pair.value, *present, pair.made_by_kernel);
    } else {
      insert_qdq(*pair.value, pair.q, pair.made_by_kernel);
      ++report.changes;
    }
  }
}

/// As an activation of its range. Throws Error naming it if a value is not finite.
inline QuantizedTensor quantize_operand(const Value& value, const Target& target) {
  const Tensor tensor = value.constant().value();
  const Extent extent = extent_of(tensor.data<float>());
  if (!extent.finite) throw Error("has a value that is not finite, and cannot be quantized").field(value.name());
  return quantize_tensor(tensor, activation_qparams(value, extent.range, target));
}

/// Constant operands get a DequantizeLinear; one that several share is quantized once.
inline void place_constants(const std::vector<UnitPlan::Constant>& constants, const Target& target, Report& report) {
  std::unordered_map<const Value*, QuantizedConstant> done;
  std::vector<Value*> replaced;
  for (const auto& [node, input] : constants) {
    Value& value = *node->input(input);
    QuantizedConstant& constant = done[&value];
    if (constant.data == nullptr) {
      constant = add_quantized(node->graph(), quantize_operand(value, target), value.name());
      replaced.push_back(&value);
    }
    rewire(*node, input, insert_dequantize(constant, *node, value.name()));
    ++report.changes;
  }
  for (Value* const value : replaced) drop_unused(value);
}

/// Phase 2: the pairs of the plan, and the biases, whose scale is known once the input's is.
inline Report place(Graph& graph, const Ranges& ranges, const Target& target, const KeptInFloat& kept,
                    Placement placement) {
  Report report;
  Transaction transaction(graph);
  if (placement == Placement::naive || placement == Placement::fusion_aware) {
    place_pairs(PlacementPlan(graph, ranges, target, kept, placement == Placement::naive).pairs(), report);
  } else {
    const UnitPlan plan(graph, ranges, target, kept, placement == Placement::conv_only);
    place_pairs(plan.pairs(), report);
    place_constants(plan.constants(), target, report);
  }
  for (Node& node : graph.nodes()) {
    const IntegerKernel* const kernel = integer_kernel(node, target);
    if (kernel == nullptr || kernel->form == KernelForm::same_qparams) continue;
    if (is_quantized_product(node, target)) {
      if (!kept.holds(node)) {
        add_bias(node, target, report);
      } else if (kernel->quantizes_constants) {
        guard_from_runtime(node);
      }
    }
    if (placement != Placement::everything && !is_integer_conv(node, target)) continue;
    const Verdict verdict = quantizable(node, target, kept);
    if (!verdict)
      report.notes.push_back("'" + describe(node.proto()) + "' stays in float: " + std::string(verdict.reason().text));
  }
  if (const std::size_t left = count_elsewhere(graph, target); left != 0)
    report.notes.push_back(std::to_string(left) + " operators in bodies and functions stay in float");
  transaction.keep();
  return report;
}

}  // namespace detail

/// The pass that quantizes what goes into and comes out of every operator that the target computes in integers and
/// whose weight is constant. A tensor gets one pair of QuantizeLinear and DequantizeLinear, which all its users share;
/// a pair that is there stays, and is shared as well. Nodes that keep_in_float() names are left out. Throws Error
/// naming the tensor whose range is missing.
inline Pass inject_qdq(Ranges ranges, const Target& target, Placement placement = Placement::fusion_aware) {
  return pass("inject_qdq",
              [ranges = std::move(ranges), target, placement](Graph& graph, Context& context) {
                return detail::place(graph, ranges, target, KeptInFloat::of(context.facts), placement);
              })
      .needs(needs_opset(10));
}

/// The same with the ranges that an earlier pass has provided.
inline Pass inject_qdq(const Target& target, Placement placement = Placement::fusion_aware) {
  return pass("inject_qdq",
              [target, placement](Graph& graph, Context& context) {
                return detail::place(graph, *context.facts.find<Ranges>(), target, KeptInFloat::of(context.facts),
                                     placement);
              })
      .needs(needs_opset(10))
      .needs(needs_fact<Ranges>("ranges", "calibrate"));
}

}  // namespace graft::inline v1
