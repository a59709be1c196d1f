#pragma once
#include <graft/quantize/tune/detail/find_blocks.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <unordered_set>

#include <graft/config.hpp>

namespace graft::inline v1::detail {

/// The values that layers compute, or that only lead to inputs of layers.
inline std::unordered_set<const Value*> values_of_layers(const Graph& graph, std::span<const Node* const> layers) {
  const std::unordered_set<const Node*> are_layers(layers.begin(), layers.end());
  std::unordered_set<const Value*> behind, before;
  std::unordered_set<const Node*> read_them;  // also in bodies
  std::vector<const Node*> others;
  for (const Node& node : graph.nodes()) {
    // A mask that gets the shape of a layer's output lives as long as other masks.
    const bool is_shape = node.is("Shape") || node.is("Size");
    if (!are_layers.contains(&node) && (is_shape || !read_them.contains(&node))) {
      others.push_back(&node);
      continue;
    }
    for (const Value& output : node.outputs()) {
      behind.insert(&output);
      for (const Use& use : output.uses()) read_them.insert(reader_in(graph, use));
    }
    if (are_layers.contains(&node)) before.insert(node.input(0));
  }
  for (std::size_t i = others.size(); i-- > 0;) {
    const auto leads = [&](const Value& value) { return before.contains(&value); };
    if (std::ranges::any_of(others[i]->outputs(), leads))
      before.insert(others[i]->inputs().begin(), others[i]->inputs().end());
  }
  behind.merge(before);
  return behind;
}

GRAFT_INLINE std::vector<BlockSpan> find_blocks(const Graph& graph, const LiveValues& live,
                                                std::span<const Node* const> layers) {
  constexpr std::size_t max_chain = 3, max_layers = 12;
  const std::unordered_set<const Value*> of_layers = values_of_layers(graph, layers);
  const std::vector<const Value*> sole = live.sole(of_layers);
  const std::unordered_set<const Value*> outputs(graph.outputs().begin(), graph.outputs().end());
  std::vector<std::size_t> others(sole.size());  // the number of outputs that are made up to a place beside a sole one
  for (const Value* const output : outputs) {
    if (output->producer() == nullptr || !of_layers.contains(output)) continue;
    const std::size_t made = live.place_of(*output->producer()) + 1;
    if (sole[made] != output) ++others[made];
  }
  std::partial_sum(others.begin(), others.end(), others.begin());
  const auto makes_output = [&](std::size_t first, std::size_t last) { return others[last] != others[first]; };
  const auto is_cut = [&](std::size_t place) { return sole[place] != nullptr && sole[place]->dtype() == DType::f32; };
  std::vector<BlockSpan> blocks;
  BlockSpan block;
  bool begins_at_cut = true;
  const auto end_at = [&](std::size_t place, std::size_t layer) {
    block.last = place;
    block.last_layer = layer;
    block.output = sole[place];
    const std::size_t count = layer - block.first_layer;
    if (begins_at_cut && is_cut(place) && count != 0 && count <= max_layers && !makes_output(block.first, place))
      blocks.push_back(block);
    block = {.first = place, .first_layer = layer};
    begins_at_cut = is_cut(place);
  };
  BlockSpan cut;  // ends at the last place where the block may end; at 0 if there is none
  std::size_t next = 0;
  for (std::size_t place = 1; place < sole.size(); ++place) {
    if (next < layers.size() && live.place_of(*layers[next]) == place - 1) ++next;
    if (!is_cut(place)) continue;
    const bool has_output = makes_output(std::max(cut.last, block.first), place);
    const bool chain_is_full = next - block.first_layer > max_chain && cut.last_layer > block.first_layer;
    if (cut.last != 0 && (has_output || chain_is_full)) end_at(cut.last, cut.last_layer);
    cut = {.last = place, .last_layer = next};
    if (!has_output && !outputs.contains(sole[place])) continue;
    end_at(place, next);
    cut = {};
  }
  if (cut.last != 0) end_at(cut.last, cut.last_layer);
  return blocks;
}

}  // namespace graft::inline v1::detail
