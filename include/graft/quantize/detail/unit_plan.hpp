#pragma once
#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/detail/pair_qparams.hpp>
#include <graft/quantize/kept_in_float.hpp>
#include <graft/quantize/qdq.hpp>
#include <graft/quantize/quantizable.hpp>
#include <graft/quantize/ranges.hpp>
#include <graft/quantize/target.hpp>

namespace graft::inline v1::detail {

/// Phase 1 of the placement by units, an operator with an integer kernel and the activations behind it that vanish into
/// it: its operands and its result get a pair. What moves values before or between units passes integers on, with one
/// scale and zero point. Looks at every node and edge a few times.
class UnitPlan {
 public:
  /// A constant operand.
  struct Constant {
    Node* node;
    std::size_t input;
  };

  UnitPlan(Graph& graph, const Ranges& ranges, const Target& target, const KeptInFloat& kept, bool conv_only)
      : qparams_(ranges, target), target_(target) {
    std::vector<Node*> moving;
    for (Node& node : graph.nodes()) {
      const IntegerKernel* const kernel = integer_kernel(node, target_);
      if (kernel == nullptr || !quantizable(node, target_, kept)) continue;
      if (kernel->form == KernelForm::same_qparams) {
        moving.push_back(&node);
      } else if (!conv_only || is_integer_conv(node, target_)) {
        add_unit(node, *kernel);
      }
    }
    for (auto node = moving.rbegin(); node != moving.rend(); ++node) take_early(**node);
    for (Node* const node : moving) pass_on(*node);
    for (Pair& pair : pairs_)
      if (!passed_.contains(pair.value)) pair.q = qparams_.of(*pair.value);
  }

  const std::vector<Pair>& pairs() const { return pairs_; }
  const std::vector<Constant>& constants() const { return constants_; }

 private:
  bool is_integer(const Value& value) const { return is_dequantized(value) || places_.contains(&value); }

  void add(Value& value, bool made_by_kernel) {
    if (is_dequantized(value)) return;
    const auto [place, is_new] = places_.try_emplace(&value, pairs_.size());
    if (is_new) pairs_.push_back({&value, {}, made_by_kernel});
    pairs_[place->second].made_by_kernel = pairs_[place->second].made_by_kernel || made_by_kernel;
  }

  void add_unit(Node& node, const IntegerKernel& kernel) {
    const bool is_weighted = kernel.form == KernelForm::weighted;
    const std::size_t first = is_weighted ? 0 : kernel.first_operand;
    const std::size_t end = is_weighted ? 2 : operand_end(node, kernel);
    for (std::size_t i = first; i < end; ++i) {
      if (!node.input(i)->is_constant()) {
        add(*node.input(i), false);
      } else if (!is_weighted) {
        constants_.push_back({&node, i});
      }
    }
    Value& y = *node.output(0);
    const std::vector<const Node*> row = qparams_.deferred_row(y);
    if (!row.empty()) {
      add(*row.back()->output(0), true);
    } else if (!kernel.float_output || stands_before_clip(y)) {
      add(y, true);
    }
  }

  /// Whether what reads the result is an activation that a kernel waits for a quantizer to take away.
  bool stands_before_clip(const Value& y) const {
    for (const Use& use : y.uses()) {
      if (use.is_graph_output()) continue;
      const FusedActivation* const entry = fused_activation(*use.user(), target_);
      if (entry != nullptr && entry->when == Fuses::when_redundant) return true;
    }
    return false;
  }

  /// What is quantized behind a movement is quantized before it too.
  void take_early(Node& node) {
    bool any = false;
    for (const Value& output : node.outputs()) any = any || is_integer(output);
    if (!any) return;
    add(*node.input(0), false);
    for (Value& output : node.outputs())
      if (!output.name().empty()) add(output, true);
  }

  void pass_on(Node& node) {
    const Value& x = *node.input(0);
    if (!is_integer(x) || !is_integer(*node.output(0))) return;
    const QParams q = known(x);
    for (const Value& output : node.outputs()) {
      if (output.name().empty()) continue;
      pairs_[places_.at(&output)].q = q;
      passed_.insert(&output);
    }
  }

  QParams known(const Value& x) const {
    if (is_dequantized(x)) return *qparams_of(*x.producer());
    return passed_.contains(&x) ? pairs_[places_.at(&x)].q : qparams_.of(x);
  }

  const PairQParams qparams_;
  const Target& target_;
  std::unordered_map<const Value*, std::size_t> places_;  // of its pair
  std::unordered_set<const Value*> passed_;               // by a movement, with its q-params
  std::vector<Pair> pairs_;
  std::vector<Constant> constants_;
};

}  // namespace graft::inline v1::detail
