#pragma once
#include <graft/quantize/calibrate/observe_gram_matrices.hpp>

#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/quantize/calibrate/detail/observe_statistic.hpp>
#include <graft/quantize/detail/constant_product.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::vector<const Value*> product_inputs(const Graph& graph) {
  std::vector<const Value*> values;
  std::unordered_set<const Value*> seen;
  detail::ConstantProduct product;
  for (const Node& node : graph.nodes()) {
    if (!detail::is_product(node) || !detail::ConstantProduct::read(node, product)) continue;
    if (!product.transposes_x && seen.insert(product.x).second) values.push_back(product.x);
  }
  return values;
}

GRAFT_INLINE Pass observe_gram_matrices(SampleSource samples, ExecutorFactory make_executor) {
  return detail::observe_statistic<GramMatrix>(product_inputs, std::move(samples), std::move(make_executor));
}

}  // namespace graft::inline v1
