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

/// Which value stands for another one in a copy; nullptr: none, it is absent there.
using Substitution = std::unordered_map<const Value*, Value*>;

/// The value itself if none stands for it.
Value* substituted(Value* value, const Substitution& substitution);

/// The node's payload with its bodies as they are now; its own input and output names do not count.
onnx::NodeProto payload_of(const Node& node, const Substitution& substitution = {});

/// Copies the nodes of a graph and the initializers that they use to another scope, under fresh names.
/// insert(payload, inputs, outputs) puts a node there. The substitution has what stands for the inputs; what stands for
/// the other values joins it.
template <class Insert>
void copy_nodes(const Graph& from, Graph& scope, Substitution& substitution, Insert insert) {
  for (Value* const value : from.initializers()) {
    if (value->use_count() == 0) continue;
    onnx::TensorProto tensor = *value->initializer();
    tensor.set_name(scope.fresh_name(value->name()));
    substitution.emplace(value, &scope.add_initializer(std::move(tensor)));
  }
  for (const Node& node : from.nodes()) {
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
}

/// The graph outputs that a value is become those of its successor, and the name with them.
void hand_over_outputs(Value& old, Value& successor);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/rewrite/payload.ipp>
#endif
