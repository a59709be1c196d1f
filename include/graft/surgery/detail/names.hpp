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

// What a person names: inputs, outputs, values and nodes of a graph. Throw Error for a name of nothing.

namespace graft::inline v1::detail {

/// The value of that name in this very scope; nullptr if there is none.
inline Value* own_value(const Graph& graph, std::string_view name) {
  Value* const value = graph.find(name);
  return value != nullptr && &value->graph() == &graph ? value : nullptr;
}

inline Value& input_called(const Graph& graph, std::string_view name) {
  Value* const value = own_value(graph, name);
  if (value == nullptr || !value->is_graph_input()) throw Error("is no input of the graph").field(name);
  return *value;
}

inline Value& value_called(const Graph& graph, std::string_view name) {
  Value* const value = own_value(graph, name);
  if (value == nullptr || name.empty()) throw Error("is no value of the graph").field(name);
  return *value;
}

/// The positions at which the graph hands the value out.
inline std::vector<std::size_t> output_positions(const Graph& graph, const Value& value) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < graph.output_count(); ++i)
    if (graph.output(i) == &value) positions.push_back(i);
  return positions;
}

inline Value& output_called(const Graph& graph, std::string_view name) {
  for (Value* const output : graph.outputs())
    if (output != nullptr && output->name() == name) return *output;
  throw Error("is no output of the graph").field(name);
}

/// A node of the scopes by its name or, where it has none, by what reports call it. Throws Error for a name that
/// several nodes bear.
inline Node& node_called(const std::vector<Graph*>& scopes, std::string_view name) {
  Node* found = nullptr;
  for (const Graph* const scope : scopes) {
    for (Node& node : scope->nodes()) {
      if (display_name(node) != name) continue;
      if (found != nullptr) throw Error("several nodes are called so").node(name);
      found = &node;
    }
  }
  if (found == nullptr) throw Error("the graph has no node of this name").node(name);
  return *found;
}

/// The name itself if no value of the scopes bears it, else one like it.
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
