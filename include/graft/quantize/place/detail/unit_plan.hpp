#pragma once
#include <algorithm>
#include <cstddef>
#include <numbers>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/pair_qparams.hpp>
#include <graft/quantize/detail/units.hpp>
#include <graft/quantize/kernel/bounds.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>

namespace graft::inline v1::detail {

/// The pairs that units need which go to integers: behind their operands and their results. What moves values passes
/// integers on, with one scale and zero point; what requantizes them is given operands that have the result's already,
/// if nothing else reads these. A pair is left out where the runtime carries that in front, or behind, to its place:
/// two of them would be a conversion more. Looks at every node and edge a few times.
class UnitPlan {
 public:
  /// A constant operand.
  struct Constant {
    Node* node;
    std::size_t input;
    DType dtype;  ///< that of the result
  };

  UnitPlan(const std::vector<Unit>& units, const std::vector<bool>& selected, const PairQParams& qparams)
      : qparams_(qparams) {
    for (std::size_t u = 0; u < units.size(); ++u)
      if (selected[u]) units_.push_back(&units[u]);
    for (const Unit* const unit : units_) {
      nodes_.insert(unit->node);
      if (unit->kernel->form == KernelForm::weighted && !unit->node->is("Conv")) products_.insert(unit->node);
      unit->for_each_result([&](const Value& result) {
        made_by_kernels_.insert(&result);
        if (unit->may_end_in_float && qparams.pairs_on_inputs()) given_in_float_.insert(&result);
      });
    }
    for (const Unit* const unit : units_) add_pairs(*unit);
    // Of several sums in a row the last comes first: its other branch may be the result of one before.
    for (auto unit = units_.rbegin(); unit != units_.rend(); ++unit)
      if (ends_in_integers(**unit)) add_row(**unit);
    for (const Unit* const unit : units_)
      if (unit->moves_values()) unit->for_each_result([&](const Value& result) { passed_.insert(&result); });
    for (Pair& pair : pairs_)
      if (!passed_.contains(pair.value)) pair.q = own_qparams(*pair.value);
    for (const Unit* const unit : units_) {
      if (unit->moves_values()) pass_on(*unit);
      if (unit->kernel->has(KernelQuirk::requantizes)) adopt(*unit);
    }
    for (auto unit = units_.rbegin(); unit != units_.rend(); ++unit)
      if ((*unit)->kernel->has(KernelQuirk::requantizes)) align(**unit);
    for (const Unit* const unit : units_) leave_out(*unit);
    std::erase_if(pairs_, [this](const Pair& pair) { return left_out_.contains(pair.value); });
  }

  const std::vector<Pair>& pairs() const { return pairs_; }
  const std::vector<Constant>& constants() const { return constants_; }
  /// Those that go to integers, or vanish into what does.
  const std::unordered_set<const Node*>& nodes() const { return nodes_; }

 private:
  void add(Value& value) {
    if (is_dequantized(value)) return;
    if (places_.try_emplace(&value, pairs_.size()).second)
      pairs_.push_back({&value, {}, made_by_kernels_.contains(&value) && !given_in_float_.contains(&value)});
  }

  /// Whether a pair stands behind the row of a unit, its own or that of a reader.
  bool ends_in_integers(const Unit& unit) const {
    return !given_in_float_.contains(unit.result) || places_.contains(unit.result) ||
           dequantized(*unit.result) != nullptr;
  }
  void add_row(const Unit& unit) {
    nodes_.insert(unit.row.begin(), unit.row.end());
    for (Value* const branch : unit.branches) add(*branch);
  }

  void add_pairs(const Unit& unit) {
    unit.for_each_operand([&](std::size_t i) {
      Value& operand = *unit.node->input(i);
      if (operand.is_constant()) {
        constants_.push_back({unit.node, i, qparams_.dtype_of(*unit.result)});
      } else {
        add(operand);
      }
    });
    if (!unit.may_end_in_float) unit.for_each_result([&](Value& result) { add(result); });
  }

  QParams own_qparams(const Value& value) const {
    return made_by_kernels_.contains(&value) ? qparams_.of_result(value) : qparams_.of(value);
  }

  void pass_on(const Unit& unit) {
    const Value& x = *unit.node->input(0);
    const bool is_paired = dequantized(x) != nullptr;
    const auto place = places_.find(&x);
    const QParams q = is_paired                ? qparams_.of(x)
                      : is_dequantized(x)      ? *qparams_of(*x.producer())
                      : place != places_.end() ? pairs_[place->second].q
                                               : own_qparams(x);
    unit.for_each_result([&](const Value& result) { pairs_[places_.at(&result)].q = q; });
  }

  /// The result takes the q-params of an operand that must keep its own, if these span it with steps up to root 2 times
  /// as large: then that operand, which is not rounded again, loses no more than it would by another rounding; the
  /// others lose at most twice the power.
  void adopt(const Unit& unit) {
    const auto place = places_.find(unit.result);
    if (place == places_.end() || dequantized(*unit.result) != nullptr || !unit.row.empty()) return;
    QParams& q = pairs_[place->second].q;
    const Range wanted = q.range();
    std::optional<QParams> finest;
    unit.for_each_operand([&](std::size_t i) {
      const Value& operand = *unit.node->input(i);
      const auto of_operand = places_.find(&operand);
      if (of_operand == places_.end() || !pairs_moved_to(operand).empty()) return;
      const QParams kept = dequantized(operand) != nullptr ? qparams_.of(operand) : pairs_[of_operand->second].q;
      const Range range = kept.range();
      const bool spans = range.min <= wanted.min && range.max >= wanted.max && kept.dtype == q.dtype;
      if (spans && kept.scale <= std::numbers::sqrt2_v<float> * q.scale && (!finest || kept.scale < finest->scale))
        finest = kept;
    });
    if (finest) q = *finest;
  }

  void align(const Unit& unit) {
    const auto place = places_.find(unit.result);
    if (place == places_.end() || dequantized(*unit.result) != nullptr) return;
    const QParams q = pairs_[place->second].q;
    unit.for_each_operand([&](std::size_t i) { align(*unit.node->input(i), q); });
  }

  /// And what it was moved from. It keeps its own where these would not let an activation vanish.
  void align(const Value& operand, const QParams& q) {
    const std::vector<Pair*> moved = pairs_moved_to(operand);
    if (moved.empty()) return;
    const Value& source = *moved.back()->value;
    const std::optional<Range> limits = source.producer() != nullptr ? bounds(*source.producer()) : std::nullopt;
    if (moved.back()->q.dtype != q.dtype) return;
    if (limits && overhang(q, *limits) > 0) return;
    if (q.range().max + q.scale / 2 < qparams_.unsaturated_up_to(source)) return;
    for (Pair* const pair : moved) pair->q = q;
  }

  /// The pair behind what moves values, or joins those of one scale, if the runtime takes a DequantizeLinear there.
  /// Else those in front of what joins values, if it takes there the QuantizeLinear behind, which is as theirs.
  void leave_out(const Unit& unit) {
    if (!unit.kernel->has(KernelQuirk::passes_dequantizers)) return;
    if (unit.moves_values()) return unit.for_each_result([&](const Value& result) { leave_out(result); });
    const std::optional<QParams> q = known_qparams(*unit.result);
    bool are_alike = true;
    unit.for_each_operand([&](std::size_t i) { are_alike = are_alike && known_qparams(*unit.node->input(i)) == q; });
    if (are_alike) {
      leave_out(*unit.result);
    } else if (unit.kernel->has(KernelQuirk::passes_quantizers)) {
      unit.for_each_operand([&](std::size_t i) {
        const Value& operand = *unit.node->input(i);
        if (pairs_moved_to(operand).size() == 1 && known_qparams(operand) == q) left_out_.insert(&operand);
      });
    }
  }

  /// Unless a product other than a Conv reads it: is_quantized_product() knows these by the DequantizeLinear in front.
  void leave_out(const Value& result) {
    const auto uses = result.uses();
    if (std::none_of(uses.begin(), uses.end(), [&](const Use& use) { return products_.contains(use.user()); }))
      left_out_.insert(&result);
  }

  /// Of its pair, planned or present; nullopt if it has none.
  std::optional<QParams> known_qparams(const Value& value) const {
    if (dequantized(value) != nullptr) return qparams_.of(value);
    if (is_dequantized(value)) return qparams_of(*value.producer());
    const auto place = places_.find(&value);
    return place != places_.end() ? std::optional(pairs_[place->second].q) : std::nullopt;
  }

  /// The pair of a value, and of what it was moved from; none where one of them has other readers, or q-params that
  /// stay.
  std::vector<Pair*> pairs_moved_to(const Value& operand) {
    std::vector<Pair*> moved;
    for (const Value* source = &operand;; source = source->producer()->input(0)) {
      const auto place = places_.find(source);
      if (place == places_.end() || source->use_count() != 1 || dequantized(*source) != nullptr) return {};
      moved.push_back(&pairs_[place->second]);
      if (!passed_.contains(source)) return moved;
      if (source->producer()->output_count() != 1) return {};
    }
  }

  const PairQParams& qparams_;
  std::vector<const Unit*> units_;
  std::unordered_set<const Node*> nodes_;
  std::unordered_set<const Value*> made_by_kernels_;
  std::unordered_set<const Value*> given_in_float_;  // by kernels, to readers in float
  std::unordered_map<const Value*, std::size_t> places_;  // of its pair
  std::unordered_set<const Value*> passed_;               // by a movement, with its q-params
  std::unordered_set<const Node*> products_;              // other than Conv
  std::unordered_set<const Value*> left_out_;
  std::vector<Pair> pairs_;
  std::vector<Constant> constants_;
};

}  // namespace graft::inline v1::detail
