#pragma once
#include <graft/quantize/tune/layer_trials.hpp>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/need.hpp>

namespace graft::inline v1 {

GRAFT_INLINE bool LayerTrials::concern(std::string_view node) const {
  const auto matches = [&](const NamePattern& pattern) { return pattern.matches(node); };
  return candidates.empty() || std::any_of(candidates.begin(), candidates.end(), matches);
}

namespace detail {

GRAFT_INLINE Feeds by_name(const Feeds& feeds) {
  Feeds result;
  for (const auto& [value, tensor] : feeds) result.emplace_back(std::string(value.name()), tensor);
  return result;
}

GRAFT_INLINE Fetches measured_outputs(const Graph& graph) {
  Fetches outputs;
  for (const Value* const output : graph.outputs())
    if (output->dtype() != DType::string) outputs.emplace_back(output);
  return outputs;
}

GRAFT_INLINE Pass needing(Pass pass, const Pass& tried) {
  for (const Need& need : tried.needs()) pass = pass.needs(need);
  return pass;
}

}  // namespace detail

}  // namespace graft::inline v1
