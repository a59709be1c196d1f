#pragma once
#include <graft/surgery/deduplicate_subgraph_initializers.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

namespace detail {

/// Initializers of one dtype and shape, bodies after the scopes around them.
using AlikeInitializers = std::map<std::string, std::vector<Value*>>;

inline AlikeInitializers initializers_by_type(Graph& graph) {
  AlikeInitializers groups;
  for (Graph* const scope : scopes_of(graph)) {
    const auto annotated = scope->annotated();
    for (Value* const value : scope->initializers()) {
      if (!value->is_constant() || value->is_graph_input() || annotated.count(value) != 0) continue;
      const onnx::TensorProto& tensor = *value->initializer();
      std::string type = std::to_string(tensor.data_type());
      for (const std::int64_t dim : tensor.dims()) type += ',' + std::to_string(dim);
      groups[type].push_back(value);
    }
  }
  return groups;
}

/// An initializer that cannot be read equals no other.
inline bool same_contents(const Value& a, const Value& b) {
  try {
    const std::optional<Tensor> one = a.constant(), other = b.constant();
    if (one && other) return one->same_bytes(*other);
  } catch (const Error&) {
    return false;
  }
  return std::equal(a.initializer()->string_data().begin(), a.initializer()->string_data().end(),
                    b.initializer()->string_data().begin(), b.initializer()->string_data().end());
}

inline Graph* common_scope(Graph* a, Graph* b) {
  while (a != b && a != nullptr && b != nullptr) {
    Graph*& deeper = a->depth() >= b->depth() ? a : b;
    deeper = deeper->parent();
  }
  return a == b ? a : nullptr;
}

/// Whether all readers of the value find the other one by its name.
inline bool readers_see(const Value& value, const Value& other) {
  for (const Use& use : value.uses())
    if (use.graph().find(other.name()) != &other) return false;
  return true;
}

/// Replaces `value`, of a body, by `by`. False if this is impossible.
inline bool serve_by(Value& value, Value& by) {
  if (value.is_graph_output() || !readers_see(value, by) || !value.graph().replace_uses(value, by)) return false;
  value.graph().erase(value);
  return true;
}

/// A copy of the value in a scope around it.
inline Value& lift_initializer(const Value& value, Graph& scope) {
  onnx::TensorProto tensor = *value.initializer();
  tensor.set_name(scope.fresh_name(value.name()));
  return scope.add_initializer(std::move(tensor));
}

/// The value that serves both: one of them, or a new one where both see it. nullptr, without changes, if impossible.
inline Value* serve_both(Value& one, Value& other) {
  Graph* const scope = common_scope(&one.graph(), &other.graph());
  if (scope == nullptr || &one.graph() == &other.graph()) return nullptr;
  if (scope == &one.graph()) return serve_by(other, one) ? &one : nullptr;
  if (scope == &other.graph()) return serve_by(one, other) ? &other : nullptr;
  if (scope->is_function() || one.is_graph_output() || other.is_graph_output()) return nullptr;
  Value& shared = lift_initializer(one, *scope);
  if (!readers_see(one, shared) || !readers_see(other, shared)) {
    scope->erase(shared);
    return nullptr;
  }
  for (Value* const value : {&one, &other})
    if (!serve_by(*value, shared)) throw Error("cannot be shared").field(value->name());
  return &shared;
}

inline std::size_t deduplicate_initializers(std::vector<Value*> alike) {
  std::size_t changes = 0;
  while (alike.size() > 1) {
    std::vector<Value*> equal{alike.front()}, rest;
    for (std::size_t i = 1; i < alike.size(); ++i)
      (same_contents(*alike.front(), *alike[i]) ? equal : rest).push_back(alike[i]);
    alike = std::move(rest);
    for (std::size_t i = 0; i < equal.size(); ++i) {
      for (std::size_t k = i + 1; k < equal.size();) {
        Value* const shared = serve_both(*equal[i], *equal[k]);
        if (shared == nullptr) {
          ++k;
          continue;
        }
        equal[i] = shared;
        equal.erase(equal.begin() + static_cast<std::ptrdiff_t>(k));
        k = i + 1;  // it may serve values that the one before could not
        ++changes;
      }
    }
  }
  return changes;
}

}  // namespace detail

GRAFT_INLINE Pass deduplicate_subgraph_initializers() {
  return pass("deduplicate_subgraph_initializers", [](Graph& graph, Context&) {
    Report report;
    Transaction transaction(graph);
    detail::AlikeInitializers groups = detail::initializers_by_type(graph);
    for (auto& [type, alike] : groups) {
      const bool concerns_bodies = std::any_of(alike.begin(), alike.end(), [](const Value* value) {
        return value->graph().parent() != nullptr;
      });
      if (concerns_bodies) report.changes += detail::deduplicate_initializers(std::move(alike));
    }
    transaction.keep();
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
