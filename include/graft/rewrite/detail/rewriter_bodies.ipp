#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/rewrite/payload.hpp>
#include <graft/rewrite/rewriter.hpp>

// Bodies that become part of the scope around them.

namespace graft::inline v1 {

GRAFT_INLINE Verdict Rewriter::inline_body(Node& node, std::string_view attribute) {
  if (Graph* const inside = node.body(attribute)) return inline_body(node, {attribute, inside});
  return fail("the node has no such body");
}

GRAFT_INLINE Verdict Rewriter::inline_body(Node& node, const Body& body) {
  begin();
  const Graph& inside = *body.graph;
  if (!inside.inputs().empty()) return fail("a body that takes inputs cannot be inlined");
  if (inside.proto()->sparse_initializer_size() != 0) return fail("a body with sparse initializers cannot be inlined");
  at(node);
  detail::Substitution substitution;
  detail::copy_nodes(inside, *graph_, substitution,
                     [this](onnx::NodeProto payload, std::span<Value* const> inputs, std::size_t outputs) -> Node& {
                       return node_from(std::move(payload), inputs, outputs);
                     });
  std::vector<Value*> outputs;
  for (Value* const value : inside.outputs()) outputs.push_back(detail::substituted(value, substitution));
  return replace(node, outputs);
}

}  // namespace graft::inline v1
