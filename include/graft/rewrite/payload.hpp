#pragma once
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// Maps values to their substitutes in a copy. nullptr: the value is absent there.
using Substitution = std::unordered_map<const Value*, Value*>;

/// The substitute of a value, or the value itself if it has none.
Value* substituted(Value* value, const Substitution& substitution);

/// The node's payload with its bodies as in the view. Names of the node's inputs and outputs are left over from the
/// last commit.
onnx::NodeProto payload_of(const Node& node, const Substitution& substitution = {});

/// Copies the initializers that a graph uses to another scope, under fresh names. Adds the copies to the
/// substitution.
void copy_initializers(const Graph& from, Graph& scope, Substitution& substitution);

/// Copies a node to another scope under a fresh name; insert(payload, inputs, outputs) inserts the copy. The
/// substitution provides the new inputs and receives the new outputs.
template <class Insert>
void copy_node(const Node& node, Graph& scope, Substitution& substitution, Insert&& insert) {
  std::vector<Value*> inputs;
  for (Value* const value : node.inputs()) inputs.push_back(substituted(value, substitution));
  onnx::NodeProto payload = payload_of(node, substitution);
  if (!payload.name().empty()) payload.set_name(scope.fresh_name(payload.name()));
  Node& copy = insert(std::move(payload), inputs, node.output_count());
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Value& original = *node.output(i);
    Value& output = *copy.output(i);
    if (original.name().empty()) {
      scope.omit(output);
      continue;
    }
    if (original.type() != nullptr) scope.set_type(output, *original.type());
    substitution.emplace(&original, &output);
  }
}

/// Copies the nodes of a graph, and the initializers that they use, to another scope.
template <class Insert>
void copy_nodes(const Graph& from, Graph& scope, Substitution& substitution, Insert insert) {
  copy_initializers(from, scope, substitution);
  for (const Node& node : from.nodes()) copy_node(node, scope, substitution, insert);
}

/// Makes the successor the graph output that `old` is, under the same name.
void hand_over_outputs(Value& old, Value& successor);

}  // namespace graft::inline v1::detail
