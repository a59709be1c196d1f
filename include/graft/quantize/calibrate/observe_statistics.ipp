#pragma once
#include <graft/quantize/calibrate/observe_statistics.hpp>

#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/calibrate/detail/distinct_values.hpp>
#include <graft/quantize/calibrate/detail/observe_statistic.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/quantize/detail/float_channels.hpp>
#include <graft/quantize/kernel/activation.hpp>

namespace graft::inline v1 {
namespace detail {

GRAFT_INLINE const Node* sole_activation(const Value& value) {
  if (value.use_count() != 1) return nullptr;
  const Use& use = value.uses().front();
  const Node* const user = use.user();
  if (user == nullptr || use.index() != 0 || &user->graph() != &value.graph()) return nullptr;
  return activation(*user) != nullptr ? user : nullptr;
}

}  // namespace detail

GRAFT_INLINE std::vector<const Value*> channel_inputs(const Graph& graph) {
  return detail::distinct_values(graph, [](const Node& node) -> const Value* {
    const Value* const x = detail::has_channel_response(node) ? node.input(0) : nullptr;
    return x != nullptr && !x->is_constant() ? x : nullptr;
  });
}

GRAFT_INLINE std::vector<const Value*> channel_values(const Graph& graph) {
  std::vector<const Value*> values = channel_inputs(graph);
  std::unordered_set<const Value*> seen(values.begin(), values.end());
  const auto add = [&](const Value& value) {
    if (seen.insert(&value).second) values.push_back(&value);
  };
  for (const Node& node : graph.nodes()) {
    if (!detail::has_channel_response(node)) continue;
    add(*node.output(0));
    if (const Node* const activation = detail::sole_activation(*node.output(0))) add(*activation->output(0));
  }
  return values;
}

GRAFT_INLINE Pass observe_channel_means(SampleSource samples, ExecutorFactory make_executor) {
  return detail::observe_statistic<ChannelMeans>(channel_inputs, std::move(samples), std::move(make_executor));
}

GRAFT_INLINE Pass observe_channel_extremes(SampleSource samples, ExecutorFactory make_executor) {
  return detail::observe_statistic<ChannelExtremes>(channel_values, std::move(samples), std::move(make_executor));
}

GRAFT_INLINE bool multiplies_features(const Node& node) {
  detail::ConstantProduct product;
  return detail::is_product(node) && detail::ConstantProduct::read(node, product) && !product.transposes_x &&
         product.w == node.input(1) && product.w->constant()->rank() == 2;
}

GRAFT_INLINE std::vector<const Value*> feature_inputs(const Graph& graph) {
  return detail::distinct_values(graph,
                                 [](const Node& node) { return multiplies_features(node) ? node.input(0) : nullptr; });
}

GRAFT_INLINE Pass observe_feature_moments(SampleSource samples, ExecutorFactory make_executor) {
  return detail::observe_statistic<FeatureMoments>(feature_inputs, std::move(samples), std::move(make_executor));
}

GRAFT_INLINE std::vector<const Value*> product_inputs(const Graph& graph) {
  return detail::distinct_values(graph, [](const Node& node) -> const Value* {
    detail::ConstantProduct product;
    if (!detail::is_product(node) || !detail::ConstantProduct::read(node, product)) return nullptr;
    return product.transposes_x ? nullptr : product.x;
  });
}

GRAFT_INLINE Pass observe_gram_matrices(SampleSource samples, ExecutorFactory make_executor) {
  return detail::observe_statistic<GramMatrix>(product_inputs, std::move(samples), std::move(make_executor));
}

GRAFT_INLINE Pass observe_histograms(SampleSource samples, ExecutorFactory make_executor) {
  return detail::observe_statistic<Histogram>(observable, std::move(samples), std::move(make_executor));
}

}  // namespace graft::inline v1
