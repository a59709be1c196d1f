#pragma once
#include <graft/quantize/calibrate/observe_gram_matrices.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/quantize/calibrate/detail/distinct_values.hpp>
#include <graft/quantize/calibrate/detail/observe_statistic.hpp>
#include <graft/quantize/detail/constant_product.hpp>

namespace graft::inline v1 {

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

}  // namespace graft::inline v1
