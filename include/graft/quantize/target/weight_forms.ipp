#pragma once
#include <graft/quantize/target/weight_forms.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/rewrite/unmatched_name.hpp>

namespace graft::inline v1 {

GRAFT_INLINE WeightForm WeightForms::of(const Node& node) const {
  const auto last = std::find_if(overrides_.rbegin(), overrides_.rend(), [&](const WeightFormOverride& given) {
    return !node.name().empty() && given.nodes.matches(node.name());
  });
  WeightForm form = last != overrides_.rend() ? last->form : common_;
  if (const auto own = bits_.find(node.name()); own != bits_.end()) form.bits = own->second;
  return form;
}

GRAFT_INLINE bool WeightForms::any_per_channel() const {
  const auto is = [](const WeightForm& form) { return form.granularity == Granularity::per_channel; };
  return is(common_) || std::any_of(overrides_.begin(), overrides_.end(),
                                    [&](const WeightFormOverride& given) { return is(given.form); });
}

GRAFT_INLINE std::vector<std::string> WeightForms::unmatched(const Graph& graph) const {
  std::vector<std::string> notes;
  for (const WeightFormOverride& given : overrides_) {
    bool matched = false;
    for (const Node& node : graph.nodes())
      matched = matched || (!node.name().empty() && given.nodes.matches(node.name()));
    if (!matched) notes.push_back(no_node_called(given.nodes, graph));
  }
  return notes;
}

}  // namespace graft::inline v1
