#pragma once
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/op_id.hpp>

namespace graft::inline v1 {

/// An index of a model's local functions by operator and overload. The first of several equal ones counts. Functions
/// that are added to the model later are missing.
class LocalFunctions {
 public:
  LocalFunctions() = default;
  explicit LocalFunctions(const Model& model);

  /// The function that the node calls; nullptr if it calls none.
  Graph* called_by(const Node& node) const;

  /// The indexed function with the same domain, name and overload as this one.
  Graph* called_as(const Graph& function) const;

  /// Calls f(node, function) for each call in a scope and in its bodies.
  template <class F>
  void for_each_call(const Graph& scope, F&& f) const {
    std::vector<const Graph*> scopes{&scope};
    for (std::size_t i = 0; i < scopes.size(); ++i) {
      for (const Node& node : scopes[i]->nodes()) {
        if (Graph* const function = called_by(node)) f(node, *function);
        for (const Body& body : node.bodies()) scopes.push_back(body.graph);
      }
    }
  }

 private:
  using Overloads = std::unordered_map<std::string, Graph*>;
  static Graph* find(const Overloads& overloads, const std::string& overload);

  std::unordered_map<OpId, Overloads> by_op_;
};

}  // namespace graft::inline v1
