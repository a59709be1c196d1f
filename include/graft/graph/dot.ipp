#pragma once
#include <graft/graph/dot.hpp>

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/print.hpp>

namespace graft::inline v1 {

namespace detail {

inline std::string dot_quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace detail

GRAFT_INLINE std::string to_dot(const Graph& graph) {
  std::string text = "digraph " + detail::dot_quote(graph.name()) + " {\n  node [shape=box, style=rounded];\n";
  std::unordered_map<const void*, std::string> ids;
  const auto id = [&ids](const void* thing) {
    return ids.try_emplace(thing, "n" + std::to_string(ids.size())).first->second;
  };
  const auto oval = [&](const void* thing, std::string_view name) {
    text += "  " + id(thing) + " [shape=oval, label=" + detail::dot_quote(name) + "];\n";
  };
  const auto edge = [&](const Value& value, const void* to) {
    if (value.producer() == nullptr && !value.is_graph_input()) return;
    const void* const from = value.producer() ? static_cast<const void*>(value.producer()) : &value;
    text += "  " + id(from) + " -> " + id(to) + " [label=" + detail::dot_quote(detail::type_text(value)) + "];\n";
  };
  std::vector<const Graph*> scopes{&graph};
  for (std::size_t k = 0; k < scopes.size(); ++k) {
    const Graph& scope = *scopes[k];
    if (k != 0)
      text += "  subgraph cluster_" + std::to_string(k) + " { label=" + detail::dot_quote(scope.name()) + ";\n";
    for (const Value* const input : scope.inputs())
      if (input->initializer() == nullptr) oval(input, input->name());
    for (const Node& node : scope.nodes()) {
      const std::string label =
          std::string(node.op_type()) + (node.name().empty() ? "" : "\n" + std::string(node.name()));
      text += "  " + id(&node) + " [label=" + detail::dot_quote(label) + "];\n";
      for (const Body& body : node.bodies()) scopes.push_back(body.graph);
    }
    if (k != 0) text += "  }\n";
  }
  for (const Graph* const scope : scopes) {
    for (const Node& node : scope->nodes())
      for (const Value* const input : node.inputs())
        if (input != nullptr) edge(*input, &node);
    for (std::size_t i = 0; i < scope->output_count(); ++i) {
      const Value* const output = scope->output(i);
      if (output == nullptr) continue;
      oval(&scope->output_use(i), output->name());
      edge(*output, &scope->output_use(i));
    }
  }
  return text + "}\n";
}

}  // namespace graft::inline v1
