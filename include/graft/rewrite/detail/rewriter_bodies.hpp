#pragma once
#include <string>
#include <utility>
#include <vector>

#include <graft/rewrite/payload.hpp>
#include <graft/rewrite/rewriter.hpp>

// Bodies that become part of the scope around them.

namespace graft::inline v1 {

template <class Void>
Verdict BasicRewriter<Void>::inline_body(Node& node, std::string_view attribute) {
  if (Graph* const inside = node.body(attribute)) return inline_body(node, {attribute, inside});
  return fail("the node has no such body");
}

template <class Void>
Verdict BasicRewriter<Void>::inline_body(Node& node, const Body& body) {
  begin();
  const Graph& inside = *body.graph;
  if (!inside.inputs().empty()) return fail("a body that takes inputs cannot be inlined");
  if (inside.proto()->sparse_initializer_size() != 0) return fail("a body with sparse initializers cannot be inlined");
  at(node);
  detail::Substitution substitution;
  const auto successor = [&](Value* value) {
    const auto found = substitution.find(value);
    return found == substitution.end() ? value : found->second;
  };
  for (Value* const value : inside.initializers()) {
    if (value->use_count() == 0) continue;
    onnx::TensorProto tensor = *value->initializer();
    tensor.set_name(graph_->fresh_name(value->name()));
    substitution.emplace(value, &graph_->add_initializer(std::move(tensor)));
  }
  for (const Node& inner : inside.nodes()) {
    std::vector<Value*> inputs;
    for (Value* const value : inner.inputs()) inputs.push_back(successor(value));
    onnx::NodeProto payload = detail::payload_of(inner, substitution);
    if (!payload.name().empty()) payload.set_name(graph_->fresh_name(payload.name()));
    Node& copy = node_from(std::move(payload), inputs, inner.output_count());
    for (std::size_t i = 0; i < inner.output_count(); ++i) {
      Value& from = *inner.output(i);
      Value& to = *copy.output(i);
      if (from.name().empty()) {
        graph_->omit(to);
        continue;
      }
      if (from.type() != nullptr) graph_->set_type(to, *from.type());
      substitution.emplace(&from, &to);
    }
  }
  std::vector<Value*> outputs;
  for (Value* const value : inside.outputs()) outputs.push_back(successor(value));
  return replace(node, outputs);
}

}  // namespace graft::inline v1
