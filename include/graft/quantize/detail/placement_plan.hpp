#pragma once
#include <unordered_set>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/activation.hpp>
#include <graft/quantize/deferral.hpp>
#include <graft/quantize/kept_in_float.hpp>
#include <graft/quantize/qdq.hpp>
#include <graft/quantize/quantizable.hpp>
#include <graft/quantize/ranges.hpp>
#include <graft/quantize/target.hpp>

namespace graft::inline v1::detail {

/// The activation that reads a tensor by this use, in the same scope; nullptr if it does not.
inline Node* activation_at(const Use& use, const Target& target) {
  Node* const user = use.user();
  if (user == nullptr || use.index() != 0 || &user->graph() != &use.value()->graph()) return nullptr;
  return activation(*user) != nullptr || fused_activation(*user, target) != nullptr ? user : nullptr;
}

/// Phase 1 of the placement: which tensors get a pair, and with which q-params; unless it is naive, none that stands
/// before activations which the target fuses. Naive, it has one behind each of these. Looks at every node and edge
/// once.
class PlacementPlan {
 public:
  struct Pair {
    Value* value;
    QParams q;
    /// Then outputs of the graph read it dequantized: a kernel's result may have no other user than Q.
    bool made_by_kernel;
  };

  PlacementPlan(Graph& graph, const Ranges& ranges, const Target& target, const KeptInFloat& kept, bool naive)
      : ranges_(ranges), target_(target) {
    for (Node& node : graph.nodes()) {
      if (!is_integer_conv(node, target_) || !quantizable(node, target_, kept)) continue;
      add(*node.input(0), false);
      Value& y = *node.output(0);
      const std::vector<const Node*> row = deferred_row(y);
      if (naive || row.empty()) add(y, true);
      if (row.empty()) {
        for (const Use& use : y.uses())
          if (const Node* const user = activation_at(use, target_)) add(*user->output(0), true);
      } else {
        for (const Node* const fused : row)
          if (naive || fused == row.back()) add(*fused->output(0), true);
      }
    }
  }

  const std::vector<Pair>& pairs() const { return pairs_; }

 private:
  void add(Value& value, bool made_by_kernel) {
    if (value.producer() != nullptr && is_dequantize(*value.producer())) return;
    if (seen_.insert(&value).second) pairs_.push_back({&value, qparams(value), made_by_kernel});
  }

  /// Those of the pair that is there already, else those of the range.
  QParams qparams(const Value& value) const {
    if (const Value* const present = dequantized(value)) return *qparams_of(*present->producer());
    try {
      return activation_qparams(value, ranges_.at(value.name()), target_);
    } catch (Error& error) {
      throw error.field(value.name());
    }
  }

  /// The QuantizeLinear that will stand behind a value.
  RowEnd end(const Value& value) const {
    const Value* const present = dequantized(value);
    return present != nullptr ? RowEnd(*paired_quantize(*present->producer())) : RowEnd(qparams(value));
  }

  /// The activations behind a kernel's output, one reading the other and nobody else, that vanish into the kernel: each
  /// would also if the QuantizeLinear stood right behind it.
  std::vector<const Node*> deferred_row(const Value& y) const {
    std::vector<const Node*> row;
    for (const Value* value = &y; value->use_count() == 1; value = row.back()->output(0)) {
      const Node* const user = activation_at(value->uses().front(), target_);
      if (user == nullptr || fused_activation(*user, target_) == nullptr) break;
      const Value& result = *user->output(0);
      if (!row.empty() && dequantized(result) == nullptr && ranges_.find(result.name()) == nullptr) break;
      row.push_back(user);
      if (!deferrable(row, end(result), target_)) {
        row.pop_back();
        break;
      }
    }
    return row;
  }

  const Ranges& ranges_;
  const Target& target_;
  std::unordered_set<const Value*> seen_;
  std::vector<Pair> pairs_;
};

}  // namespace graft::inline v1::detail
