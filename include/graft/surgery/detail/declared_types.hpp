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

/// The inner values of a graph, neither inputs nor outputs: those that value_info may declare.
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

/// The values with value_info at the last commit. The view itself does not distinguish declared and inferred types;
/// values declared since are written with any later type.
class Declared {
 public:
  explicit Declared(const Graph& graph) {
    if (graph.proto() == nullptr) return;
    for (const onnx::ValueInfoProto& info : graph.proto()->value_info())
      if (const Value* const value = own_value(graph, info.name())) values_.insert(value);
  }

  bool holds(const Value& value) const { return values_.count(&value) != 0; }

  /// Gives the value another type, and declares it if the old type was declared.
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
