#pragma once
#include <graft/quantize/tune/detail/frontier.hpp>

#include <algorithm>
#include <unordered_set>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/memory.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE const Node* reader_in(const Graph& graph, const Use& use) {
  const Node* reader = use.user();
  for (const Graph* scope = &use.graph(); scope != &graph; scope = scope->parent()) reader = scope->owner();
  return reader;
}

GRAFT_INLINE LiveValues::LiveValues(const Graph& graph) {
  for (const Node& node : graph.nodes()) places_.emplace(&node, places_.size());
  std::unordered_set<const Node*> depend_on_inputs;
  const auto add = [&](const Value& value, std::size_t made) {
    std::size_t read_by_node = made;
    bool is_output = false;
    for (const Use& use : value.uses()) {
      const Node* const reader = reader_in(graph, use);
      is_output |= reader == nullptr;
      if (reader == nullptr) continue;
      depend_on_inputs.insert(reader);
      read_by_node = std::max(read_by_node, places_.at(reader) + 1);
    }
    if (is_output) read_by_node = std::max(read_by_node, made + 1);
    lives_.push_back({&value, made, is_output ? places_.size() + 1 : read_by_node, read_by_node});
  };
  for (const Value* const input : graph.inputs())
    if (!input->is_constant()) add(*input, 0);
  for (const Node& node : graph.nodes()) {
    if (!depend_on_inputs.contains(&node)) continue;
    for (const Value& output : node.outputs())
      if (!output.name().empty()) add(output, places_.at(&node) + 1);
  }
}

GRAFT_INLINE std::vector<const Value*> LiveValues::at(std::size_t place) const {
  std::vector<const Value*> live;
  for (const Life& life : lives_)
    if (life.made <= place && life.read > place) live.push_back(life.value);
  return live;
}

GRAFT_INLINE std::vector<const Value*> LiveValues::sole(const std::unordered_set<const Value*>& among) const {
  const std::size_t count = places_.size() + 1;
  // Between a place and the one before, by how much the number of live values changes, and the sum of their indices.
  std::vector<std::ptrdiff_t> numbers(count + 1), sums(count + 1);
  for (std::size_t i = 0; i < lives_.size(); ++i) {
    const std::size_t end = std::min(lives_[i].read_by_node, count);
    if (lives_[i].made >= end || !among.contains(lives_[i].value)) continue;
    const auto index = static_cast<std::ptrdiff_t>(i);
    ++numbers[lives_[i].made];
    --numbers[end];
    sums[lives_[i].made] += index;
    sums[end] -= index;
  }
  std::vector<const Value*> result(count);
  std::ptrdiff_t number = 0, sum = 0;
  for (std::size_t place = 0; place < count; ++place) {
    number += numbers[place];
    sum += sums[place];
    if (number == 1) result[place] = lives_[static_cast<std::size_t>(sum)].value;
  }
  return result;
}

GRAFT_INLINE bool LiveValues::is_made_behind(const Value& value, std::size_t place) const {
  return value.producer() != nullptr && place_of(*value.producer()) >= place;
}

GRAFT_INLINE Frontier::Frontier(std::vector<Feeds> samples, std::size_t max_bytes) : max_bytes_(max_bytes) {
  for (Feeds& feeds : samples) {
    Underway& sample = samples_.emplace_back();
    for (auto& [value, tensor] : feeds) sample.values.emplace_back(std::string(value.name()), std::move(tensor));
  }
}

GRAFT_INLINE Frontier::Frontier(std::vector<Feeds> samples)
    : Frontier(std::move(samples), std::min(std::size_t{1} << 30, physical_memory() / 4)) {}

GRAFT_INLINE void Frontier::advance(const Graph& graph, const LiveValues& live, AnyExecutor& executor,
                                    std::size_t place) {
  place_ = std::max(place_, place);
  const std::vector<const Value*> values = live.at(place);
  for (Underway& sample : samples_) {
    if (sample.place == place) continue;
    Held held;
    Fetches missing;
    for (const Value* const value : values) {
      const auto is_it = [&](const auto& known) { return known.first == value->name(); };
      const auto known = std::ranges::find_if(sample.values, is_it);
      if (known != sample.values.end()) held.push_back(*known);
      else if (!value->is_graph_input())  // otherwise the input has a default
        missing.emplace_back(value);
    }
    for (const auto& [name, tensor] : sample.values)
      if (const Value* const value = graph.find(name); value != nullptr && live.is_made_behind(*value, place))
        held.emplace_back(name, tensor);
    std::vector<Tensor> made = executor.run(feeds(sample.values, graph), missing);
    for (std::size_t i = 0; i < missing.size(); ++i)
      held.emplace_back(std::string(missing[i].name()), std::move(made[i]));
    const std::size_t bytes = bytes_of(held), others = bytes_ - sample.bytes;
    if (bytes > max_bytes_ - others) continue;
    bytes_ = others + bytes;
    sample = {std::move(held), place, bytes};
  }
}

GRAFT_INLINE std::vector<Tensor> Frontier::run(std::size_t sample, const Graph& graph, AnyExecutor& executor,
                                               const Fetches& fetches) const {
  return executor.run(feeds(samples_[sample].values, graph), fetches);
}

GRAFT_INLINE Feeds Frontier::feeds(const Held& held, const Graph& graph) {
  Feeds feeds;
  for (const auto& [name, tensor] : held)
    if (const Value* const value = graph.find(name); value != nullptr && !value->is_constant())
      feeds.emplace_back(value, tensor);
  return feeds;
}

GRAFT_INLINE std::size_t Frontier::bytes_of(const Held& held) {
  std::size_t bytes = 0;
  for (const auto& [name, tensor] : held) bytes += byte_count(tensor.dtype(), tensor.dims());
  return bytes;
}

}  // namespace graft::inline v1::detail
