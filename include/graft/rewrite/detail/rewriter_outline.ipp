#pragma once
#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/rewrite/detail/reads.hpp>
#include <graft/rewrite/payload.hpp>
#include <graft/rewrite/rewriter.hpp>

// Nodes that become a function.

namespace graft::inline v1 {

namespace detail {

/// Nodes of one scope in their order, and the values that lead in and out.
struct Outline {
  explicit Outline(std::span<Node* const> chosen) : nodes(chosen.begin(), chosen.end()) {
    std::sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) { return a->before(*b); });
    const std::unordered_set<const Node*> inside(nodes.begin(), nodes.end());
    std::unordered_set<const Value*> seen;
    for (Node* const node : nodes) {
      for_each_read(*node, [&](Value& value) {
        if (inside.count(value.producer()) == 0 && seen.insert(&value).second) inputs.push_back(&value);
      });
    }
    const auto leaves = [&](const Use& use) {
      if (use.is_graph_output()) return true;
      const Node* user = use.user();
      while (user != nullptr && inside.count(user) == 0) user = user->graph().owner();
      return user == nullptr;
    };
    for (Node* const node : nodes) {
      for (Value& output : node->outputs()) {
        const UseRange uses = output.uses();
        if (std::any_of(uses.begin(), uses.end(), leaves)) outputs.push_back(&output);
      }
    }
  }

  onnx::FunctionProto function(const OpName& name) const {
    onnx::FunctionProto function;
    function.set_name(std::string(name.op_type));
    function.set_domain(std::string(name.domain));
    for (const Value* const value : inputs) function.add_input(std::string(value->name()));
    for (const Value* const value : outputs) function.add_output(std::string(value->name()));
    const auto import_domain = [&](const Node& node) {
      for (const onnx::OperatorSetIdProto& import : function.opset_import())
        if (canonical_domain(import.domain()) == node.domain()) return;
      onnx::OperatorSetIdProto& import = *function.add_opset_import();
      import.set_domain(std::string(node.domain()));
      import.set_version(node.opset());
    };
    for (const Node* const node : nodes) {
      onnx::NodeProto& payload = *function.add_node();
      payload = payload_of(*node);
      payload.clear_input();
      payload.clear_output();
      for (const Value* const value : node->inputs()) payload.add_input(value ? std::string(value->name()) : "");
      for (const Value& value : node->outputs()) payload.add_output(std::string(value.name()));
      import_domain(*node);
      std::vector<const Graph*> bodies;
      for (const Body& body : node->bodies()) bodies.push_back(body.graph);
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        for (const Node& inner : bodies[i]->nodes()) {
          import_domain(inner);
          for (const Body& body : inner.bodies()) bodies.push_back(body.graph);
        }
      }
    }
    return function;
  }

  std::vector<Node*> nodes;
  std::vector<Value*> inputs, outputs;
};

}  // namespace detail

GRAFT_INLINE Node& Rewriter::outline(std::span<Node* const> nodes, std::string_view name) {
  if (nodes.empty()) throw Error("a function needs at least one node");
  begin();
  Node& first = *nodes.front();
  const auto is_elsewhere = [&](const Node* node) { return &node->graph() != &first.graph(); };
  if (std::any_of(nodes.begin(), nodes.end(), is_elsewhere)) {
    static_cast<void>(fail("nodes of several scopes cannot become one function"));
    return first;
  }
  OpName function = OpName::parse(name);
  if (function.domain.empty()) function.domain = "graft";
  for (const Graph* const other : graph_->model().functions()) {
    const onnx::FunctionProto& present = *other->function_proto();
    if (present.name() != function.op_type || present.domain() != function.domain) continue;
    static_cast<void>(fail("there is a function of that name already"));
    return first;
  }
  const detail::Outline outline(nodes);
  Model& model = graph_->model();
  model.add_function(outline.function(function));
  if (model.ir_version() < 8) model.set_ir_version(8);  // the first with functions

  at(*outline.nodes.front());
  onnx::NodeProto call;
  call.set_op_type(std::string(function.op_type));
  call.set_domain(std::string(function.domain));
  call.set_name(graph_->fresh_name(function.op_type));
  Node& made = node_from(std::move(call), outline.inputs, outline.outputs.size());
  for (std::size_t i = 0; i < outline.outputs.size(); ++i)
    static_cast<void>(replace(*outline.outputs[i], *made.output(i)));
  erase_unused(outline.nodes);
  return made;
}

}  // namespace graft::inline v1
