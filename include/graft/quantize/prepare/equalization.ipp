#pragma once
#include <graft/quantize/prepare/equalization.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
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
#include <graft/qdq/has_result.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/extremes.hpp>
#include <graft/quantize/kernel/activation.hpp>
#include <graft/quantize/kernel/bounds.hpp>
#include <graft/quantize/prepare/detail/equalized_layer.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {
namespace detail {

/// The path from one Conv or Gemm to the next.
struct PairPath {
  std::vector<const Value*> values;  ///< the output of the first, and the values behind it
  Node* second = nullptr;
  const Value* clipped = nullptr;  ///< the output of a Clip, whose upper bound is
  float limit = std::numeric_limits<float>::infinity();
};

/// f(c x) = c f(x) for each channel and c > 0.
inline bool scales_with_channels(const Node& node) {
  if (node.output_count() != 1) return false;
  const Activation* const entry = activation(node);
  if (!has_result(node)) return false;
  if (entry != nullptr) return entry->kind == ActivationClass::homogeneous;
  return node.is("Identity") || node.is("MaxPool") || node.is("AveragePool") || node.is("GlobalMaxPool") ||
         node.is("GlobalAveragePool");
}

/// nullopt if the chain behind the node has other readers, contains an operator that does not scale, or has no second
/// layer at its end.
inline std::optional<PairPath> path_behind(const Node& first) {
  if (!has_channel_response(first)) return std::nullopt;
  PairPath path;
  for (const Value* value = first.output(0);; value = path.second->output(0)) {
    path.values.push_back(value);
    if (value->use_count() != 1) return std::nullopt;
    const Use& use = value->uses().front();
    path.second = use.user();
    if (path.second == nullptr || use.index() != 0 || &path.second->graph() != &first.graph()) return std::nullopt;
    if (has_channel_response(*path.second)) return path;
    if (scales_with_channels(*path.second)) continue;
    const std::optional<Range> kept = path.second->is("Clip") ? bounds(*path.second) : std::nullopt;
    const bool is_from_zero = kept && (kept->min == 0 || std::isinf(kept->min)) && kept->max > 0;
    if (!is_from_zero || path.clipped != nullptr) return std::nullopt;
    path.clipped = path.second->output(0);
    path.limit = kept->max;
  }
}

class EqualizedPair {
 public:
  EqualizedPair(EqualizedLayer& first, EqualizedLayer& second, const PairPath& path,
                const Statistics<ChannelExtremes>* seen, std::size_t chain)
      : first_(&first),
        second_(&second),
        chain_(chain),
        values_(path.values),
        least_(first.channels().outputs(), lowest_factor) {
    const Value& value = path.clipped != nullptr ? *path.clipped : *path.values.back();
    const ChannelExtremes* const extremes = seen != nullptr ? seen->find(value.name()) : nullptr;
    const bool is_seen = extremes != nullptr && extremes->ranges().size() == least_.size();
    is_clipped_unseen_ = path.clipped != nullptr && !is_seen;
    if (is_seen) limit_growth(extremes->ranges(), path.limit);
  }

  const EqualizedLayer& first() const { return *first_; }
  const EqualizedLayer& second() const { return *second_; }
  std::size_t chain() const { return chain_; }
  const std::vector<const Value*>& values() const { return values_; }
  bool is_clipped_unseen() const { return is_clipped_unseen_; }

  /// Equalizes this pair, given the present factors of the others. Returns the greatest change of a factor's logarithm.
  double balance() {
    const std::vector<double> made = first_->output_magnitudes(), read = second_->input_magnitudes();
    double most = 0;
    for (std::size_t c = 0; c < made.size(); ++c) {
      if (made[c] == 0 || read[c] == 0 || least_[c] == fixed) continue;
      double& divisor = first_->divisors()[c];
      const double factor = std::clamp(divisor * std::sqrt(made[c] / read[c]), least_[c], highest_factor);
      most = std::max(most, std::abs(std::log(factor / divisor)));
      second_->multipliers()[c] *= factor / divisor;
      divisor = factor;
    }
    return most;
  }

  /// Resets all factors.
  void leave() {
    std::ranges::fill(first_->divisors(), 1);
    std::ranges::fill(second_->multipliers(), 1);
  }

  std::size_t rescaled() const {
    const std::vector<double>& divisors = first_->divisors();
    return static_cast<std::size_t>(std::count_if(divisors.begin(), divisors.end(), [](double d) { return d != 1; }));
  }

 private:
  // Limits the growth of a channel with tiny weights: its bias grows too.
  static constexpr double lowest_factor = 1.0 / 1024, highest_factor = 1024;
  static constexpr double fixed = std::numeric_limits<double>::infinity();
  // For a Clip: other samples may reach further than the observed ones.
  static constexpr double highest_fill = 0.9;

  /// Limits a factor so that no channel exceeds the present greatest magnitude, or reaches the bound of a Clip.
  /// Channels that the Clip cuts keep their factor.
  void limit_growth(const std::vector<Range>& seen, float limit) {
    const auto magnitude = [](const Range& range) { return std::max(std::abs(range.min), std::abs(range.max)); };
    float greatest = 0;
    for (const Range& range : seen) greatest = std::max(greatest, magnitude(range));
    for (std::size_t c = 0; c < least_.size(); ++c) {
      if (greatest > 0) least_[c] = std::max(lowest_factor, double{magnitude(seen[c])} / greatest);
      least_[c] = std::max(least_[c], std::min(1.0, seen[c].max / (highest_fill * limit)));
      if (seen[c].max >= limit) least_[c] = fixed;
    }
  }

  EqualizedLayer* first_;
  EqualizedLayer* second_;
  std::size_t chain_;
  std::vector<const Value*> values_;
  std::vector<double> least_;  // factors
  bool is_clipped_unseen_ = false;
};

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
      report.notes.push_back("'" + display_name(pair.first().node()) + "' and '" + display_name(pair.second().node()) +
                             "': " + std::to_string(rescaled) + " channels between them are rescaled");
      changed.insert(changed.end(), pair.values().begin(), pair.values().end());
    }
    for (Node& node : graph.nodes())  // so that new constants are in the order of the nodes
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
        report.notes.push_back("'" + display_name(node) + "' is skipped: the output of its Clip was not observed");
        continue;
      }
      chain_behind_[second] = pair.chain();
      chains_ = std::max(chains_, pair.chain() + 1);
      pairs_.push_back(std::move(pair));
    }
  }

  /// The layer of the pair that ends at this one, or a new layer.
  std::size_t chain_of(const EqualizedLayer& layer) const {
    const auto place = chain_behind_.find(&layer);
    return place != chain_behind_.end() ? place->second : chains_;
  }

  /// Each sweep changes the balance of neighbours; a long chain of depthwise layers takes a few dozen sweeps. A chain
  /// that is balanced in the first sweep is not changed.
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
  // Pairs that share a layer form a chain. Each chain is balanced separately.
  std::unordered_map<const EqualizedLayer*, std::size_t> chain_behind_;
  std::size_t chains_ = 0;
};

}  // namespace detail

GRAFT_INLINE Pass equalize_weights() {
  return pass("equalize_weights",
              [](Graph& graph, Context& context) {
                const auto* const seen = context.facts.find<Statistics<ChannelExtremes>>();
                return detail::Equalizer(seen).run(graph, context.facts);
              })
      .preserves_all();
}

}  // namespace graft::inline v1
