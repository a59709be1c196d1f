#pragma once
#include <functional>
#include <map>
#include <string>
#include <utility>

#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1::raise {

inline const Graph& root_of(const Graph& graph) {
  const Graph* root = &graph;
  while (root->parent() != nullptr) root = root->parent();
  return *root;
}
inline bool is_in_function(const Graph& graph) { return root_of(graph).is_function(); }

/// One node on its way from one version of its operator to a newer one.
struct Step {
  Node& node;
  const schema::Operator& from;
  const schema::Operator& to;
  int target;  // the opset that the model is raised to
  /// A constant of the node's scope; equal ones are shared.
  std::function<Value&(Tensor, std::string_view hint)> constant;

  [[noreturn]] void refuse(const std::string& why, std::string_view field = {}) const {
    const bool is_inside = is_in_function(node.graph());
    throw Error(std::string(node.op_type()) + "-" + std::to_string(from.since_version) + " cannot be raised to opset " +
                std::to_string(target) + ": " + why +
                (is_inside ? "; inline_functions() (InlineFunctions) first writes the local function out" : ""))
        .node(display_name(node)).field(field).file(node.graph().model().file());
  }
  /// Gives the node that input, growing it if needs be.
  void set_input(std::size_t position, Value* value) const {
    if (node.input_count() <= position) node.graph().resize_inputs(node, position + 1);
    if (!node.graph().set_input(node, position, value)) refuse("its new input would close a cycle");
  }
};

}  // namespace graft::inline v1::raise
