#pragma once
#include <unordered_set>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/activation.hpp>
#include <graft/quantize/deferral.hpp>
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
/// before an activation which the target fuses. Looks at every node and edge once.
class PlacementPlan {
 public:
  struct Pair {
    Value* value;
    QParams q;
    /// Then outputs of the graph read it dequantized: a kernel's result may have no other user than Q.
    bool made_by_kernel;
  };

  PlacementPlan(Graph& graph, const Ranges& ranges, const Target& target, bool naive)
      : ranges_(ranges), target_(target) {
    for (Node& node : graph.nodes()) {
      if (integer_kernel(node, target_) == nullptr || !quantizable(node, target_)) continue;
      add(*node.input(0), false);
      Value& y = *node.output(0);
      if (naive || !is_deferred(y)) add(y, true);
      for (const Use& use : y.uses())
        if (const Node* const user = activation_at(use, target_)) add(*user->output(0), true);
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

  bool is_deferred(const Value& y) const {
    if (y.use_count() != 1) return false;
    const Node* const user = activation_at(y.uses().front(), target_);
    return user != nullptr && deferrable(*user, qparams(*user->output(0)), target_);
  }

  const Ranges& ranges_;
  const Target& target_;
  std::unordered_set<const Value*> seen_;
  std::vector<Pair> pairs_;
};

}  // namespace graft::inline v1::detail
