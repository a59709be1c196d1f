#pragma once
#include <graft/rewrite/unmatched_name.hpp>

#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/near_names.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string no_node_called(const NamePattern& pattern, const Graph& graph) {
  const std::string text = "no node is called '" + pattern.text() + "'";
  const Value* const value = graph.find(pattern.text());
  if (value != nullptr && value->producer() != nullptr)
    return text + "; the tensor of that name is an output of the node '" + display_name(*value->producer()) + "'";
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) names.push_back(display_name(node));
  return text + did_you_mean(pattern.text(), std::vector<std::string_view>(names.begin(), names.end()));
}

GRAFT_INLINE std::string no_tensor_called(const NamePattern& pattern, const Graph& graph) {
  const std::string text = "no tensor is called '" + pattern.text() + "'";
  for (const Node& node : graph.nodes())
    if (node.output_count() != 0 && display_name(node) == pattern.text())
      return text + "; the node of that name has the output '" + std::string(node.output(0)->name()) + "'";
  std::vector<std::string_view> names;
  for (const Value* const input : graph.inputs()) names.push_back(input->name());
  for (const Node& node : graph.nodes())
    for (const Value& output : node.outputs()) names.push_back(output.name());
  return text + did_you_mean(pattern.text(), names);
}

}  // namespace graft::inline v1
