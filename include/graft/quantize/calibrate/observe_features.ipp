#pragma once
#include <graft/quantize/calibrate/observe_features.hpp>

#include <cstdint>
#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>
#include <graft/qdq/has_result.hpp>
#include <graft/quantize/calibrate/detail/observe_statistic.hpp>

namespace graft::inline v1 {

GRAFT_INLINE bool multiplies_features(const Node& node) {
  const bool is_gemm = node.is("Gemm") && node.attr<std::int64_t>("transA").value_or(0) == 0;
  if (!(is_gemm || node.is("MatMul")) || !detail::has_result(node) || node.input_count() < 2) return false;
  const Value *const x = node.input(0), *const weight = node.input(1);
  return x != nullptr && !x->is_constant() && weight != nullptr && weight->is_constant() &&
         weight->dtype() == DType::f32 && weight->shape().known() && weight->shape().rank() == 2;
}

GRAFT_INLINE std::vector<const Value*> feature_inputs(const Graph& graph) {
  std::vector<const Value*> values;
  std::unordered_set<const Value*> seen;
  for (const Node& node : graph.nodes())
    if (multiplies_features(node) && seen.insert(node.input(0)).second) values.push_back(node.input(0));
  return values;
}

GRAFT_INLINE Pass observe_feature_moments(SampleSource samples, ExecutorFactory make_executor) {
  return detail::observe_statistic<FeatureMoments>(feature_inputs, std::move(samples), std::move(make_executor));
}

}  // namespace graft::inline v1
