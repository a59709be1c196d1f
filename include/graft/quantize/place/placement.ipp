#pragma once
#include <graft/quantize/place/placement.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qdq/drop.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/quantize_tensor.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/detail/chosen_units.hpp>
#include <graft/quantize/detail/pair_qparams.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/kernel/integer_form.hpp>
#include <graft/quantize/kernel/outcome.hpp>
#include <graft/quantize/kernel/quantizable.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/place/bias.hpp>
#include <graft/quantize/place/detail/convert_operands.hpp>
#include <graft/quantize/place/detail/placement_plan.hpp>
#include <graft/quantize/place/detail/runtime_guard.hpp>
#include <graft/quantize/place/detail/unit_plan.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

inline Need needs_opset_of(const Target& target) { return needs_opset(since_opset(target.activation)); }

/// How many operators that the placement would quantize, were they not in other scopes: those that only move values
/// are not counted.
inline std::size_t count_elsewhere(const Graph& graph, const Target& target, Placement placement) {
  std::size_t count = 0;
  for (const Graph* const scope : graph.model().scopes()) {
    if (scope == &graph) continue;
    for (const Node& node : scope->nodes()) {
      const IntegerKernel* const kernel = integer_kernel(node, target);
      count += placement < Placement::all_supported ? is_integer_conv(node, target)
                                                 : kernel != nullptr && kernel->form != KernelForm::passthrough;
    }
  }
  return count;
}

inline void place_pairs(const PlacementPlan& plan, const ActivationDTypes& dtypes, Report& report) {
  for (const Pair& pair : plan.pairs) {
    const auto reads_it = [&](const Use& use) { return plan.reads_dequantized(pair, use); };
    if (Value* const present = dequantized(*pair.value)) {
      read_dequantized(*pair.value, *present, reads_it);
    } else {
      insert_pair(*pair.value, pair.q, reads_it, dtypes.bits_of(*pair.value));
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

/// Constant operands get a DequantizeLinear; one that several share is quantized once for each dtype.
inline void place_constants(const std::vector<UnitPlan::Constant>& constants, const Target& target, Report& report) {
  std::map<std::pair<const Value*, DType>, QuantizedConstant> done;
  std::vector<Value*> replaced;
  for (const auto& [node, input, dtype] : constants) {
    Value& value = *node->input(input);
    QuantizedConstant& constant = done[{&value, dtype}];
    if (constant.data == nullptr) {
      const Target of_dtype = with_activations(target, dtype);
      constant = add_quantized(node->graph(), quantize_operand(value, of_dtype), value.name());
      replaced.push_back(&value);
    }
    rewire(*node, input, insert_dequantize(constant, *node, value.name()));
    ++report.changes;
  }
  std::ranges::sort(replaced);
  replaced.erase(std::unique(replaced.begin(), replaced.end()), replaced.end());
  for (Value* const value : replaced) drop_unused(value);
}

/// Inserts the pairs of a plan, guards what the runtime would miscompute, and quantizes the biases, whose scale is
/// known once the input's is. What the plan says to keep from later passes joins `kept`.
inline void apply_plan(const PlacementPlan& plan, Graph& graph, const ActivationDTypes& dtypes, const Target& target,
                       const ProductForms& forms, KeptInFloat& kept, FloatOutcomes& in_float, Report& report) {
  for (const auto& [node, code, text, keeps_weight] : plan.in_float) {
    if (forms.holds(*node)) continue;
    if (keeps_weight) kept.add(*node, "it gains nothing in integers");
    report.notes.push_back(in_float.add(*node, code, text).note());
  }
  place_pairs(plan, dtypes, report);
  place_constants(plan.constants, target, report);
  if (target.has(Quirk::converts_operands)) OperandConverter(target).run(graph);  // biases have scales of operands
  for (Node& node : graph.nodes()) {
    if (forms.holds(node)) continue;
    guard_from_integers(node, target);
    const IntegerKernel* const kernel = integer_kernel(node, target);
    if (kernel == nullptr) continue;
    if (kernel->form == KernelForm::passthrough) continue;
    if (kept.holds(node)) {
      if (!kernel->has(KernelQuirk::quantizes_constants)) continue;
      if (target.has(Quirk::lone_dequantizers_of_one_scale)) keep_in_float_between_quantizers(node, *kernel, target);
      else guard_from_runtime(node, target);
    } else if (is_quantized_product(node, target) && quantizable(node, target)) {
      add_bias(node, target, report);
    }
  }
  give_own_dequantizers(graph, target);
  for (const Node& node : graph.nodes()) state_carried_pairs(node, target);
}

/// Plans, and does it.
inline Report place(Graph& graph, const Ranges& ranges, const Target& target, Context& context,
                    Placement placement) {
  Report report;
  KeptInFloat kept = context.facts.value_or_default<KeptInFloat>();
  const ProductForms forms = context.facts.value_or_default<ProductForms>();
  KeptInFloat apart = kept;
  apart.reasons.insert(forms.dynamic.reasons.begin(), forms.dynamic.reasons.end());
  for (const auto& [bits, products] : forms.weight_only)
    apart.reasons.insert(products.reasons.begin(), products.reasons.end());
  FloatOutcomes in_float;
  if (placement == Placement::min_cost) infer_shapes(graph, context.infer_options());
  const ActivationDTypes dtypes = context.facts.value_or_default<ActivationDTypes>();
  Transaction transaction(graph);
  PlacementPlan plan = plan_placement(graph, ranges, dtypes, target, apart, context, placement);
  apply_plan(plan, graph, dtypes, target, forms, kept, in_float, report);
  if (const std::size_t left = count_elsewhere(graph, target, placement); left != 0)
    report.notes.push_back(std::to_string(left) + " operators in bodies and functions stay in float");
  for (const auto& [op, number] : count_integer_forms(graph))
    report.notes.push_back(std::to_string(number) + " " + op + " on integers already, left as it is");
  transaction.keep();
  context.facts.provide(std::move(kept));
  context.facts.provide(std::move(in_float));
  if (plan.chosen) context.facts.provide(*std::move(plan.chosen));
  return report;
}

}  // namespace detail

namespace detail {

/// The pass, with these ranges or those of the facts.
inline Pass placing(std::optional<Ranges> ranges, const Target& target, Placement placement) {
  return pass("inject_qdq",
              [ranges = std::move(ranges), target, placement](Graph& graph, Context& context) {
                const Ranges& known = ranges ? *ranges : *context.facts.find<Ranges>();
                return place(graph, known, target, context, placement);
              })
      .needs(needs_opset_of(target))
      .provides<KeptInFloat>()
      .provides<FloatOutcomes>()
      .preserves_all();
}

}  // namespace detail

GRAFT_INLINE Pass inject_qdq(Ranges ranges, const Target& target, Placement placement) {
  return detail::placing(std::move(ranges), target, placement);
}

GRAFT_INLINE Pass inject_qdq(const Target& target, Placement placement) {
  return detail::placing(std::nullopt, target, placement).needs<Ranges>();
}

}  // namespace graft::inline v1
