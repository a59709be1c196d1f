#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/rewrite/detail/type_clash.hpp>
#include <graft/rewrite/intent.hpp>
#include <graft/rewrite/payload.hpp>
#include <graft/rewrite/rewriter.hpp>

// Bodies that become part of the scope around them.

namespace graft::inline v1 {

namespace detail {

inline Verdict may_be_inlined(const Graph& body) {
  if (!body.inputs().empty()) return Verdict::no("a body that takes inputs cannot be inlined");
  if (body.proto()->sparse_initializer_size() != 0)
    return Verdict::no("a body with sparse initializers cannot be inlined");
  return Verdict::yes();
}

/// Whether the outputs of a body may stand where those of its node stood.
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
  // What served only a node that gave way inside, or a body that was not taken, has lost its use.
  for (const auto& [original, copy] : substitution)
    if (original->use_count() != 0 && copy->use_count() == 0) free(copy);
  return done;
}

}  // namespace graft::inline v1
