#pragma once
#include <graft/quantize/tune/layer_trials.hpp>

#include <algorithm>

#include <graft/config.hpp>

namespace graft::inline v1 {

GRAFT_INLINE bool LayerTrialOptions::includes(std::string_view node) const {
  const auto matches = [&](const NamePattern& pattern) { return pattern.matches(node); };
  return !none && (candidates.empty() || std::any_of(candidates.begin(), candidates.end(), matches));
}

namespace detail {

GRAFT_INLINE std::string note_of_nameless(std::size_t count) {
  return std::to_string(count) + " quantized nodes without a name are not tried in float: run unique_node_names first";
}

}  // namespace detail

}  // namespace graft::inline v1
