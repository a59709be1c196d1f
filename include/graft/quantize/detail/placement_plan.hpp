#pragma once
#include <unordered_set>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/activation_dtypes.hpp>
#include <graft/quantize/detail/pair_qparams.hpp>
#include <graft/quantize/detail/was_empty.hpp>
#include <graft/quantize/kept_in_float.hpp>
#include <graft/quantize/qdq.hpp>
#include <graft/quantize/quantizable.hpp>
#include <graft/quantize/ranges.hpp>
#include <graft/quantize/target.hpp>

namespace graft::inline v1::detail {

/// Phase 1 of the published placement of convolutions: which tensors get a pair, and with which q-params; unless it is
/// naive, none that stands before activations which the target fuses. Naive, it has one behind each of these. Looks at
/// every node and edge once.
class PlacementPlan {
 public:
  PlacementPlan(Graph& graph, const Ranges& ranges, const ActivationDTypes& dtypes, const Target& target,
                const KeptInFloat& kept, bool naive)
      : qparams_(ranges, target, dtypes), target_(target) {
    for (Node& node : graph.nodes()) {
      if (!is_integer_conv(node, target_) || !quantizable(node, target_, kept) || was_empty(node, ranges)) continue;
      add(*node.input(0), false);
      Value& y = *node.output(0);
      const std::vector<const Node*> row = qparams_.deferred_row(y);
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
    if (is_dequantized(value)) return;
    if (seen_.insert(&value).second) pairs_.push_back({&value, qparams_.of(value), made_by_kernel});
  }

  const PairQParams qparams_;
  const Target& target_;
  std::unordered_set<const Value*> seen_;
  std::vector<Pair> pairs_;
};

}  // namespace graft::inline v1::detail
