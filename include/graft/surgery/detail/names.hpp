#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

// Look-ups of inputs, outputs, values and nodes by name. They throw Error for an unknown name.

namespace graft::inline v1::detail {

/// The value of that name in this scope; nullptr if there is none. Skips outer scopes.
inline Value* own_value(const Graph& graph, std::string_view name) {
  Value* const value = graph.find(name);
  return value != nullptr && &value->graph() == &graph ? value : nullptr;
}

inline Value& input_called(const Graph& graph, std::string_view name) {
  Value* const value = own_value(graph, name);
  if (value == nullptr || !value->is_graph_input()) throw Error("is not an input of the graph").field(name);
  return *value;
}

inline Value& value_called(const Graph& graph, std::string_view name) {
  Value* const value = own_value(graph, name);
  if (value == nullptr || name.empty()) throw Error("is not a value of the graph").field(name);
  return *value;
}

/// The positions of the value among the graph outputs.
inline std::vector<std::size_t> output_positions(const Graph& graph, const Value& value) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < graph.output_count(); ++i)
    if (graph.output(i) == &value) positions.push_back(i);
  return positions;
}

inline Value& output_called(const Graph& graph, std::string_view name) {
  for (Value* const output : graph.outputs())
    if (output != nullptr && output->name() == name) return *output;
  throw Error("is not an output of the graph").field(name);
}

/// A node of the scopes by its name. A node without a name has its display name, as in reports. Throws Error if several
/// nodes have the name.
inline Node& node_called(const std::vector<Graph*>& scopes, std::string_view name) {
  Node* found = nullptr;
  for (const Graph* const scope : scopes) {
    for (Node& node : scope->nodes()) {
      if (display_name(node) != name) continue;
      if (found != nullptr) throw Error("several nodes have this name").node(name);
      found = &node;
    }
  }
  if (found == nullptr) throw Error("the graph has no node of this name").node(name);
  return *found;
}

/// The name itself if no value of the scopes has it, else a similar one.
inline std::string free_name(Graph& graph, const std::vector<Graph*>& scopes, const std::string& name) {
  const bool is_taken = std::any_of(scopes.begin(), scopes.end(),
                                    [&](const Graph* scope) { return own_value(*scope, name) != nullptr; });
  return is_taken || name.empty() ? graph.fresh_name(name) : name;
}

inline std::string free_node_name(Graph& graph, const std::vector<Graph*>& scopes, const std::string& name) {
  const bool is_taken = std::any_of(scopes.begin(), scopes.end(),
                                    [&](const Graph* scope) { return scope->find_node(name) != nullptr; });
  return is_taken ? graph.fresh_name(name) : name;
}

}  // namespace graft::inline v1::detail
