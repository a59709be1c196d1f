#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <graft/graph/display_name.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::qonnx::detail {

using Channels = std::set<std::int64_t>;

/// The channels that a value loses, and their axis.
struct ChannelMask {
  std::size_t axis = 0;
  Channels removed{};
};

/// The channels that the values of a graph lose. Records the first problem; later calls have no effect.
class MaskedValues {
 public:
  explicit MaskedValues(Graph& graph) : graph_(&graph) {}

  Graph& graph() const { return *graph_; }
  const std::unordered_map<Value*, ChannelMask>& all() const { return masks_; }

  /// nullptr if the value loses no channels.
  const ChannelMask* mask_of(const Value* value) const {
    const auto found = value != nullptr ? masks_.find(const_cast<Value*>(value)) : masks_.end();
    return found != masks_.end() ? &found->second : nullptr;
  }

  /// "" if there is no problem.
  const std::string& problem() const { return problem_; }

  /// A value that loses more channels than at its last return from here; nullptr if there is none, or a problem.
  Value* next_changed() {
    if (changed_.empty() || !problem_.empty()) return nullptr;
    Value* const value = changed_.back();
    changed_.pop_back();
    return value;
  }

  void fail(const Node& node, std::string_view why) {
    if (problem_.empty()) problem_ = "'" + display_name(node) + "' " + std::string(why);
  }

  void require(Value& value, std::size_t axis, const Channels& removed) {
    if (removed.empty() || !problem_.empty()) return;
    const Shape shape = value.shape();
    const std::string name = "'" + std::string(value.name()) + "'";
    if (axis >= shape.rank() || !shape[axis].known()) {
      problem_ = "the channels of " + name + " are not known";
    } else if (value.producer() == nullptr) {
      problem_ = name + " is an input of the graph";
    } else if (value.is_graph_output()) {
      problem_ = name + " is an output of the graph";
    } else if (&value.graph() != graph_ ||
               std::ranges::any_of(value.uses(), [&](const Use& use) { return &use.graph() != graph_; })) {
      problem_ = name + " is used in a body";
    }
    if (!problem_.empty()) return;
    ChannelMask& mask = masks_.try_emplace(&value, ChannelMask{axis, {}}).first->second;
    if (mask.axis != axis) {
      problem_ = name + " has channels along two axes";
      return;
    }
    const std::size_t before = mask.removed.size();
    mask.removed.insert(removed.begin(), removed.end());
    if (std::ssize(mask.removed) >= shape[axis].value()) problem_ = name + " would be left without channels";
    if (mask.removed.size() != before) changed_.push_back(&value);
  }

  /// Gives both values the same mask along the same axis.
  void link(Value& a, Value& b) {
    if (const ChannelMask* const mask = mask_of(&a)) require(b, mask->axis, Channels(mask->removed));
    if (const ChannelMask* const mask = mask_of(&b)) require(a, mask->axis, Channels(mask->removed));
  }

 private:
  Graph* graph_;
  std::unordered_map<Value*, ChannelMask> masks_;
  std::vector<Value*> changed_;  // values with neighbours to visit
  std::string problem_;
};

}  // namespace graft::inline v1::qonnx::detail
