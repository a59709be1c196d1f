#pragma once
#include <graft/quantize/calibrate/observe_features.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/calibrate/detail/distinct_values.hpp>
#include <graft/quantize/calibrate/detail/observe_statistic.hpp>
#include <graft/quantize/detail/constant_product.hpp>

namespace graft::inline v1 {

GRAFT_INLINE bool multiplies_features(const Node& node) {
  detail::ConstantProduct product;
  return detail::is_product(node) && detail::ConstantProduct::read(node, product) && !product.transposes_x &&
         product.w->constant()->rank() == 2;
}

GRAFT_INLINE std::vector<const Value*> feature_inputs(const Graph& graph) {
  return detail::distinct_values(graph, [](const Node& node) {
    return multiplies_features(node) ? node.input(0) : nullptr;
  });
}

GRAFT_INLINE Pass observe_feature_moments(SampleSource samples, ExecutorFactory make_executor) {
  return detail::observe_statistic<FeatureMoments>(feature_inputs, std::move(samples), std::move(make_executor));
}

}  // namespace graft::inline v1
