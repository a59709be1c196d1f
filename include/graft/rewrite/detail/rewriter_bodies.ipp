#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/rewrite/detail/reads.hpp>
#include <graft/rewrite/detail/type_clash.hpp>
#include <graft/rewrite/intent.hpp>
#include <graft/rewrite/payload.hpp>
#include <graft/rewrite/rewriter.hpp>

// Inlines bodies into their enclosing scope, and turns nodes into a function.

namespace graft::inline v1 {

namespace detail {

inline Verdict may_be_inlined(const Graph& body) {
  if (!body.inputs().empty()) return Verdict::no("a body that takes inputs cannot be inlined");
  if (body.proto()->sparse_initializer_size() != 0)
    return Verdict::no("a body with sparse initializers cannot be inlined");
  return Verdict::yes();
}

/// Whether the outputs of a body may replace those of its node.
inline bool fits(const Node& node, const Graph& body, const Intent& intent) {
  if (body.output_count() < node.output_count()) return false;
  for (const Value& old : node.outputs())
    if (!check_types(old, *body.output(old.index()), intent)) return false;
  return true;
}

}  // namespace detail

GRAFT_INLINE Verdict Rewriter::inline_body(Node& node, std::string_view attribute) {
  if (Graph* const inside = node.body(attribute)) return inline_body(node, {attribute, inside});
  return fail("the node has no such body");
}

GRAFT_INLINE Verdict Rewriter::inline_body(Node& node, const Body& body) {
  return inline_body(node, *body.graph, [](const Node&) -> const Graph* { return nullptr; });
}

GRAFT_INLINE Verdict Rewriter::inline_bodies(Node& node, TakenBody taken) {
  if (const Graph* const inside = taken(node)) return inline_body(node, *inside, taken);
  return fail("none of the node's bodies is taken");
}

GRAFT_INLINE Verdict Rewriter::inline_body(Node& node, const Graph& body, TakenBody taken) {
  begin();
  if (const Verdict may_be = detail::may_be_inlined(body); !may_be) return fail(may_be.reason());
  at(node);
  detail::Substitution substitution;
  struct Place {
    const Node* owner;
    const Graph* body;
    const Node* next;
  };
  std::vector<Place> open;
  const auto enter = [&](const Node& owner, const Graph& inside) {
    detail::copy_initializers(inside, *graph_, substitution);
    open.push_back({&owner, &inside, inside.first_node()});
  };
  const auto insert = [this](onnx::NodeProto payload, std::span<Value* const> inputs, std::size_t outputs) -> Node& {
    return node_from(std::move(payload), inputs, outputs);
  };
  enter(node, body);
  while (!open.empty()) {
    if (const Node* const next = open.back().next; next != nullptr) {
      open.back().next = next->next();
      const Graph* const inside = taken(*next);
      if (inside != nullptr && detail::may_be_inlined(*inside) && detail::fits(*next, *inside, intent_)) {
        enter(*next, *inside);
      } else {
        detail::copy_node(*next, *graph_, substitution, insert);
      }
      continue;
    }
    const Place done = open.back();
    open.pop_back();
    if (open.empty()) break;
    for (const Value& old : done.owner->outputs()) {
      Value& by = *detail::substituted(done.body->output(old.index()), substitution);
      keep_type(old, by);
      substitution.emplace(&old, &by);
    }
  }
  std::vector<Value*> outputs;
  for (Value* const value : body.outputs()) outputs.push_back(detail::substituted(value, substitution));
  const Verdict done = replace(node, outputs);
  // Values that only served replaced inner nodes, or bodies that were not taken, have lost their uses.
  for (const auto& [original, copy] : substitution)
    if (original->use_count() != 0 && copy->use_count() == 0) free(copy);
  return done;
}

namespace detail {

/// Nodes of one scope in order, with the values that enter and leave them.
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
  if (model.ir_version() < 8) model.set_ir_version(8);  // the first version with functions

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
