#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/detail/shape_values.hpp>
#include <graft/quantize/detail/tested_for_nan.hpp>
#include <graft/quantize/detail/was_empty.hpp>
#include <graft/quantize/kernel/condition.hpp>
#include <graft/quantize/kernel/quantizable.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>

namespace graft::inline v1::detail {

/// What ranges say of tensors, and those that one scale for the whole tensor would make useless, each with the reason:
/// - tensors that a node joins on one scale, if one of them would be within a step, as attention scores beside a mask
///   of -10000;
/// - the input of a Softmax, for which a step of more than 1 is a factor of more than e;
/// - tensors from which shapes are computed;
/// - tensors that IsNaN or IsInf reads.
///
/// Visits every node and edge twice.
class UnquantizableTensors : public PlannedTensors {
 public:
  UnquantizableTensors(Graph& graph, const Ranges& ranges, const ActivationDTypes& dtypes, const Target& target,
                       const KeptInFloat& kept)
      : ranges_(ranges), dtypes_(dtypes), target_(target), kept_(kept), shapes_(graph), tested_(graph) {
    std::vector<Node*> nodes;
    for (Node& node : graph.nodes()) {
      if (node.output_count() == 0) continue;
      nodes.push_back(&node);
      if (is_moving(node)) {
        mark_results(node, find(*node.input(0)));
      } else if (joins_on_one_scale(node) && node.output_count() != 0 && !feeds_product(node)) {
        check_operands(node);
      }
    }
    for (auto place = nodes.rbegin(); place != nodes.rend(); ++place) {
      Node& node = **place;
      if ((node.is("Softmax") || node.is("LogSoftmax")) && node.input(0) != nullptr && scale(*node.input(0)) > 1) {
        mark(*node.input(0), "the steps of what a Softmax reads would be wider than 1");
      } else if (is_moving(node)) {
        for (const Value& output : node.outputs()) mark(*node.input(0), find(output));
      }
    }
  }

  /// Whether an operator still works if its operands and results are quantized.
  Verdict keeps(const Node& node, const IntegerKernel& kernel) const {
    if (was_empty(node, ranges_)) return no("empty_tensor", "a tensor of it was empty on all samples");
    if (is_any_tested(node.outputs()) || is_any_operand_tested(node, kernel))
      return no("tested_for_nan", "IsNaN or IsInf reads a tensor of it, which integers answer otherwise");
    if (kernel.form == KernelForm::weighted) return Verdict::yes();
    for (const Value& output : node.outputs())
      if (shapes_.contains(output)) return no("computes_shapes", "it computes shapes");
    if (kernel.form != KernelForm::elementwise) return Verdict::yes();
    Surroundings around(target_);
    const KernelView view(node, target_, ConditionStage::planned, around, this);
    if (const Verdict verdict = first_failed(view, ConditionStage::planned).verdict; !verdict) return verdict;
    for (std::size_t i = kernel.first_operand; i < operand_end(node, kernel); ++i)
      if (const std::string_view reason = find(*node.input(i)); !reason.empty()) return no("lost_in_steps", reason);
    for (const Value& output : node.outputs())
      if (const std::string_view reason = find(output); !reason.empty()) return no("lost_in_steps", reason);
    return Verdict::yes();
  }

  const Range* range(const Value& value) const override { return ranges_.find(value.name()); }
  double scale(const Value& value) const override {
    const Range* const known = range(value);
    if (known == nullptr || known->empty() || is_dequantized(value)) return 0;
    const double steps = std::ldexp(1.0, static_cast<int>(bits(dtypes_.of(value, target_)))) - 1;
    return (std::max(double{known->max}, 0.0) - std::min(double{known->min}, 0.0)) / steps;
  }

 private:
  static Verdict no(std::string_view code, std::string_view text) { return Verdict::no({text, code, {}, 0}); }

  std::string_view find(const Value& value) const {
    const auto place = reasons_.find(&value);
    return place != reasons_.end() ? place->second : std::string_view();
  }

  void mark(const Value& value, std::string_view reason) {
    if (!reason.empty()) reasons_.try_emplace(&value, reason);
  }
  void mark_results(const Node& node, std::string_view reason) {
    for (const Value& output : node.outputs()) mark(output, reason);
  }

  template <class Outputs>
  bool is_any_tested(const Outputs& outputs) const {
    return std::any_of(outputs.begin(), outputs.end(), [&](const Value& output) { return tested_.contains(output); });
  }
  bool is_any_operand_tested(const Node& node, const IntegerKernel& kernel) const {
    for (std::size_t i = kernel.first_operand; i < operand_end(node, kernel); ++i)
      if (node.input(i) != nullptr && tested_.contains(*node.input(i))) return true;
    return false;
  }

  bool is_moving(const Node& node) const {
    const IntegerKernel* const kernel = integer_kernel(node, target_);
    return kernel != nullptr && kernel->form == KernelForm::passthrough && node.input(0) != nullptr;
  }
  static bool joins_on_one_scale(const Node& node) { return node.is("Add") || node.is("Where") || node.is("Concat"); }

  /// The result is then quantized, whatever form the node has.
  bool feeds_product(const Node& node) const {
    const auto& uses = node.output(0)->uses();
    return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
      return use.user() != nullptr && is_product(*use.user()) && quantizable(*use.user(), target_, kept_);
    });
  }
  bool is_product(const Node& node) const {
    const IntegerKernel* const kernel = integer_kernel(node, target_);
    return kernel != nullptr && kernel->form == KernelForm::weighted;
  }

  void check_operands(const Node& node) {
    const IntegerKernel* const kernel = integer_kernel(node, target_);
    if (kernel == nullptr) return;
    const double width = scale(*node.output(0));
    for (std::size_t i = kernel->first_operand; i < operand_end(node, *kernel); ++i) {
      const Value* const operand = node.input(i);
      const Range* const known = operand != nullptr ? range(*operand) : nullptr;
      if (known == nullptr || operand->is_constant() || !(known->min < known->max)) continue;
      if (double{known->max} - known->min < width)
        mark_results(node, "of tensors on one scale the narrowest would lie within a step");
    }
  }

  const Ranges& ranges_;
  const ActivationDTypes& dtypes_;
  const Target& target_;
  const KeptInFloat& kept_;
  const ShapeValues shapes_;
  const TestedForNan tested_;
  std::unordered_map<const Value*, std::string_view> reasons_;
};

}  // namespace graft::inline v1::detail
