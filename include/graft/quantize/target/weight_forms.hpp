#pragma once
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/name_pattern.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/target/weight_form.hpp>

namespace graft::inline v1 {

/// The form of the weights of the nodes that a pattern matches.
struct WeightFormOverride {
  NamePattern nodes;
  WeightForm form;
};

/// Which form the weight of each node has: a common one, except for the nodes that are named; of several patterns that
/// match one the last decides. A WeightForm or a Granularity alone is that of all.
class WeightForms {
 public:
  WeightForms(Granularity granularity) : common_(granularity) {}
  WeightForms(WeightForm common, std::vector<WeightFormOverride> overrides = {})
      : common_(common), overrides_(std::move(overrides)) {}

  WeightForm of(const Node& node) const;
  /// The form of the nodes that no pattern matches.
  const WeightForm& common() const { return common_; }
  /// The same overrides, and this form for all other nodes.
  WeightForms with_common(WeightForm form) const {
    WeightForms result = *this;
    result.common_ = form;
    return result;
  }
  /// The same forms, with these bits for the nodes of these names.
  WeightForms with_bits(std::map<std::string, int, std::less<>> bits) const {
    WeightForms result = *this;
    result.bits_ = std::move(bits);
    return result;
  }
  /// For tables that Gather reads, of which no kernel makes sums: 8 bits and no clipping, where no pattern matches.
  WeightForms for_tables() const { return with_common(common_.granularity); }
  bool has_overrides() const { return !overrides_.empty(); }
  /// Whether any of the forms has a scale for each channel.
  bool any_per_channel() const;
  /// A note for each pattern that matches no node.
  std::vector<std::string> unmatched(const Graph& graph) const;

 private:
  WeightForm common_;
  std::vector<WeightFormOverride> overrides_{};
  std::map<std::string, int, std::less<>> bits_{};
};

}  // namespace graft::inline v1
