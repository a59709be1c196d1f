#pragma once
#include <graft/quantize/prepare/equalization.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/weight_channels.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/channel_extremes.hpp>
#include <graft/quantize/prepare/detail/equalized_layer.hpp>
#include <graft/quantize/prepare/detail/equalized_pair.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

class Equalizer {
 public:
  explicit Equalizer(const Statistics<ChannelExtremes>* seen) : seen_(seen) {}

  Report run(Graph& graph, Facts& facts) {
    Report report;
    find_pairs(graph, report);
    balance();
    std::vector<const Value*> changed;
    Transaction transaction(graph);
    for (const EqualizedPair& pair : pairs_) {
      const std::size_t rescaled = pair.rescaled();
      if (rescaled == 0) continue;
      ++report.changes;
      report.notes.push_back("'" + display_name(pair.first().node()) + "' and '" +
                             display_name(pair.second().node()) + "': " + std::to_string(rescaled) +
                             " channels between them are rescaled");
      changed.insert(changed.end(), pair.values().begin(), pair.values().end());
    }
    for (Node& node : graph.nodes())  // so that new constants stand in their order
      if (const auto place = layers_.find(&node); place != layers_.end()) place->second.store();
    transaction.keep();
    for (const Value* const value : changed) facts.tensor_changed(value->name());
    return report;
  }

 private:
  void find_pairs(Graph& graph, Report& report) {
    for (Node& node : graph.nodes()) {
      const std::optional<PairPath> path = path_behind(node);
      if (!path) continue;
      EqualizedLayer* const first = layer(node);
      EqualizedLayer* const second = layer(*path->second);
      if (first == nullptr || second == nullptr || first->channels().outputs() != second->channels().inputs()) continue;
      EqualizedPair pair(*first, *second, *path, seen_, chain_of(*first));
      if (pair.is_clipped_unseen()) {
        report.notes.push_back("'" + display_name(node) +
                               "' stays as it is: what its Clip lets through was not observed");
        continue;
      }
      chain_behind_[second] = pair.chain();
      chains_ = std::max(chains_, pair.chain() + 1);
      pairs_.push_back(std::move(pair));
    }
  }

  /// That of the pair which ends at the layer, or a new one.
  std::size_t chain_of(const EqualizedLayer& layer) const {
    const auto place = chain_behind_.find(&layer);
    return place != chain_behind_.end() ? place->second : chains_;
  }

  /// Each sweep changes what its neighbours were balanced against; a long chain of depthwise layers takes a few dozen.
  /// A chain that the first one finds balanced stays as it is.
  void balance() {
    std::vector<bool> is_balanced(chains_);
    for (std::size_t sweep = 0; sweep < 50; ++sweep) {
      std::vector<double> most(chains_);
      for (EqualizedPair& pair : pairs_)
        if (!is_balanced[pair.chain()]) most[pair.chain()] = std::max(most[pair.chain()], pair.balance());
      for (std::size_t chain = 0; chain < chains_; ++chain) is_balanced[chain] = most[chain] < 1e-3;
      if (sweep != 0) continue;
      for (EqualizedPair& pair : pairs_)
        if (is_balanced[pair.chain()]) pair.leave();
    }
  }

  /// nullptr if its weight or bias is not constant float32.
  EqualizedLayer* layer(Node& node) {
    if (const auto place = layers_.find(&node); place != layers_.end()) return &place->second;
    std::optional<EqualizedLayer> layer = EqualizedLayer::of(node);
    return layer ? &layers_.emplace(&node, *std::move(layer)).first->second : nullptr;
  }

  const Statistics<ChannelExtremes>* seen_;
  std::unordered_map<Node*, EqualizedLayer> layers_;
  std::vector<EqualizedPair> pairs_;
  // Pairs that share a layer are a chain. Chains are balanced each by itself.
  std::unordered_map<const EqualizedLayer*, std::size_t> chain_behind_;
  std::size_t chains_ = 0;
};

}  // namespace detail

GRAFT_INLINE Pass equalize_weights() {
  return pass("equalize_weights", [](Graph& graph, Context& context) {
    const auto* const seen = context.facts.find<Statistics<ChannelExtremes>>();
    return detail::Equalizer(seen).run(graph, context.facts);
  }).preserves_all();
}

}  // namespace graft::inline v1
