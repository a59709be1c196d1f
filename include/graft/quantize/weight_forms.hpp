#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/name_pattern.hpp>
#include <graft/quantize/weight_form.hpp>

namespace graft::inline v1 {

/// The form of the weights of the nodes that a pattern matches.
struct WeightFormOverride {
  NamePattern nodes;
  WeightForm form;
};

/// Which form the weight of each node has: a common one, but for the nodes that are named; of several patterns that
/// match one the last decides. A WeightForm or a Granularity alone is that of all.
class WeightForms {
 public:
  WeightForms(Granularity granularity) : common_(granularity) {}
  WeightForms(WeightForm common, std::vector<WeightFormOverride> overrides = {})
      : common_(common), overrides_(std::move(overrides)) {}

  const WeightForm& of(const Node& node) const {
    const auto last = std::find_if(overrides_.rbegin(), overrides_.rend(), [&](const WeightFormOverride& given) {
      return !node.name().empty() && given.nodes.matches(node.name());
    });
    return last != overrides_.rend() ? last->form : common_;
  }
  /// Whether any of the forms has a scale for each channel.
  bool any_per_channel() const {
    const auto is = [](const WeightForm& form) { return form.granularity == Granularity::per_channel; };
    return is(common_) || std::any_of(overrides_.begin(), overrides_.end(),
                                      [&](const WeightFormOverride& given) { return is(given.form); });
  }
  /// A note for each pattern that matches no node.
  std::vector<std::string> unmatched(const Graph& graph) const {
    std::vector<std::string> notes;
    for (const WeightFormOverride& given : overrides_) {
      bool matched = false;
      for (const Node& node : graph.nodes())
        matched = matched || (!node.name().empty() && given.nodes.matches(node.name()));
      if (!matched) notes.push_back("no node is called '" + given.nodes.text() + "'");
    }
    return notes;
  }

 private:
  WeightForm common_;
  std::vector<WeightFormOverride> overrides_;
};

}  // namespace graft::inline v1
