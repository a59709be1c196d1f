#pragma once
#include <string_view>
#include <unordered_set>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>
#include <graft/surgery/detail/names.hpp>

namespace graft::inline v1::detail {

/// The values of a graph that are neither its inputs nor its outputs: those that value_info is about.
inline std::vector<Value*> inner_values(Graph& graph) {
  std::vector<Value*> values;
  const auto add = [&](Value& value) {
    if (!value.name().empty() && !value.is_graph_input() && !value.is_graph_output()) values.push_back(&value);
  };
  for (Value* const value : graph.initializers()) add(*value);
  for (Node& node : graph.nodes())
    for (Value& output : node.outputs()) add(output);
  return values;
}

/// The values that value_info told of at the last commit. The view itself does not tell what is declared from what is
/// inferred; what was declared since is written with any type that the value is given.
class Declared {
 public:
  explicit Declared(const Graph& graph) {
    if (graph.proto() == nullptr) return;
    for (const onnx::ValueInfoProto& info : graph.proto()->value_info())
      if (const Value* const value = own_value(graph, info.name())) values_.insert(value);
  }

  bool holds(const Value& value) const { return values_.count(&value) != 0; }

  /// Gives the value another type, which is declared where the old one was.
  void retype(Value& value, const onnx::TypeProto& type) const {
    if (holds(value)) {
      value.graph().declare_type(value, type);
    } else {
      value.graph().set_type(value, type);
    }
  }

 private:
  std::unordered_set<const Value*> values_;
};

}  // namespace graft::inline v1::detail
