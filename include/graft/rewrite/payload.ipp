#pragma once
#include <graft/config.hpp>
#include <graft/rewrite/payload.hpp>

#include <string>
#include <string_view>

namespace graft::inline v1::detail {

GRAFT_INLINE Value* substituted(Value* value, const Substitution& substitution) {
  const auto found = substitution.find(value);
  return found == substitution.end() ? value : found->second;
}

GRAFT_INLINE void copy_initializers(const Graph& from, Graph& scope, Substitution& substitution) {
  for (Value* const value : from.initializers()) {
    if (value->use_count() == 0) continue;
    onnx::TensorProto tensor = *value->initializer();
    tensor.set_name(scope.fresh_name(value->name()));
    substitution.emplace(value, &scope.add_initializer(std::move(tensor)));
  }
}

/// Writes the view of a body into a copy of its proto. The caller handles nested bodies, to avoid recursion.
inline void write_body(const Graph& body, const Substitution& substitution, onnx::GraphProto& to) {
  const auto name = [&](Value* value) {
    const Value* const successor = substituted(value, substitution);
    return successor == nullptr ? std::string() : std::string(successor->name());
  };
  const auto describe = [](const Value& value, onnx::ValueInfoProto& info) {
    info.set_name(std::string(value.name()));
    if (value.type() != nullptr) *info.mutable_type() = *value.type();
  };
  to = *body.proto();
  to.clear_node();
  to.clear_initializer();
  to.clear_input();
  to.clear_value_info();
  for (const Value* const value : body.initializers()) {
    onnx::TensorProto& tensor = *to.add_initializer();
    tensor = *value->initializer();
    tensor.set_name(std::string(value->name()));
  }
  for (const Value* const value : body.inputs()) describe(*value, *to.add_input());
  for (std::size_t i = 0; i < body.output_count(); ++i) {
    const bool is_there = i < static_cast<std::size_t>(to.output_size());
    onnx::ValueInfoProto& info = is_there ? *to.mutable_output(static_cast<int>(i)) : *to.add_output();
    info.set_name(name(body.output(i)));
  }
  while (to.output_size() > static_cast<int>(body.output_count())) to.mutable_output()->RemoveLast();
  for (const Node& node : body.nodes()) {
    onnx::NodeProto& payload = *to.add_node();
    payload = node.proto();
    payload.clear_input();
    payload.clear_output();
    for (Value* const value : node.inputs()) payload.add_input(name(value));
    for (const Value& value : node.outputs()) {
      payload.add_output(std::string(value.name()));
      if (value.type() != nullptr && !value.name().empty()) describe(value, *to.add_value_info());
    }
  }
}

GRAFT_INLINE onnx::NodeProto payload_of(const Node& node, const Substitution& substitution) {
  onnx::NodeProto payload = node.proto();
  struct Place {
    const Node* node;
    onnx::NodeProto* payload;
  };
  std::vector<Place> open{{&node, &payload}};
  while (!open.empty()) {
    const Place place = open.back();
    open.pop_back();
    std::unordered_map<std::string_view, int> seen;  // the number of graphs of each attribute so far
    for (const Body& body : place.node->bodies()) {
      const int at = seen[body.attribute]++;
      onnx::AttributeProto* attribute = nullptr;
      for (onnx::AttributeProto& candidate : *place.payload->mutable_attribute())
        if (candidate.name() == body.attribute) attribute = &candidate;
      const bool is_list = attribute->type() == onnx::AttributeProto::GRAPHS;
      while (is_list && attribute->graphs_size() <= at) attribute->add_graphs();
      onnx::GraphProto& graph = is_list ? *attribute->mutable_graphs(at) : *attribute->mutable_g();
      write_body(*body.graph, substitution, graph);
      int i = 0;
      for (const Node& inner : body.graph->nodes()) open.push_back({&inner, graph.mutable_node(i++)});
    }
  }
  return payload;
}

GRAFT_INLINE void hand_over_outputs(Value& old, Value& successor) {
  std::vector<Use*> outputs;
  for (Use& use : old.uses())
    if (use.is_graph_output()) outputs.push_back(&use);
  const std::string name(old.name());
  old.graph().rename(old, old.graph().fresh_name(name));
  for (Use* const use : outputs) use->graph().set_output(use->index(), successor);
  successor.graph().rename(successor, name);
}

}  // namespace graft::inline v1::detail
