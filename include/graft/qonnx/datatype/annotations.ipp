#pragma once
#include <graft/qonnx/datatype/annotations.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

inline constexpr std::string_view data_type_tag = "finn_datatype";

/// The values of each scope only.
template <class F>
void for_each_value(const Graph& scope, F&& f) {
  for (Value* const input : scope.inputs()) f(*input);
  for (Value* const initializer : scope.initializers())
    if (!initializer->is_graph_input()) f(*initializer);
  for (Node& node : scope.nodes())
    for (Value& output : node.outputs())
      if (!output.name().empty()) f(output);
}

/// Removes the types of one scope.
inline void remove_data_types(onnx::GraphProto& proto) {
  auto& annotations = *proto.mutable_quantization_annotation();
  int kept = 0;
  for (int i = 0; i < annotations.size(); ++i) {
    auto& entries = *annotations[i].mutable_quant_parameter_tensor_names();
    const int before = entries.size();
    for (int j = before; j-- > 0;)
      if (entries[j].key() == data_type_tag) entries.DeleteSubrange(j, 1);
    if (!entries.empty() || before == 0) annotations.SwapElements(i, kept++);
  }
  annotations.DeleteSubrange(kept, annotations.size() - kept);
}

inline void add_data_types(onnx::GraphProto& proto, const Graph& scope, const DataTypes& types) {
  auto& annotations = *proto.mutable_quantization_annotation();
  std::unordered_map<std::string, onnx::TensorAnnotation*> by_name;
  for (onnx::TensorAnnotation& annotation : annotations) by_name.emplace(annotation.tensor_name(), &annotation);
  for_each_value(scope, [&](const Value& value) {
    const DataType* const type = types.find(value);
    if (type == nullptr) return;
    onnx::TensorAnnotation*& annotation = by_name[std::string(value.name())];
    if (annotation == nullptr) {
      annotation = annotations.Add();
      annotation->set_tensor_name(std::string(value.name()));
    }
    onnx::StringStringEntryProto& entry = *annotation->add_quant_parameter_tensor_names();
    entry.set_key(std::string(data_type_tag));
    entry.set_value(to_string(*type));
  });
}

/// The graph and its bodies that have a proto, with that proto for writing. Graph::proto() is read-only.
template <class F>
void for_each_proto(Graph& graph, F&& f) {
  for (Graph* const scope : with_bodies(graph))
    if (scope->proto() != nullptr) f(const_cast<onnx::GraphProto&>(*scope->proto()), *scope);
}

}  // namespace detail

GRAFT_INLINE DataTypes read_data_types(Graph& graph) {
  DataTypes types;
  for (const Graph* const scope : with_bodies(graph)) {
    if (scope->proto() == nullptr) continue;
    for (const onnx::TensorAnnotation& annotation : scope->proto()->quantization_annotation()) {
      const Value* const value = scope->find(annotation.tensor_name());
      if (value == nullptr || &value->graph() != scope) continue;
      for (const onnx::StringStringEntryProto& entry : annotation.quant_parameter_tensor_names()) {
        if (entry.key() != detail::data_type_tag || entry.value().empty()) continue;
        const std::optional<DataType> type = DataType::parse(entry.value());
        if (!type) throw Error("there is no data type \"" + entry.value() + "\"").field(annotation.tensor_name());
        types.set(*value, *type);
      }
    }
  }
  return types;
}

/// A commit reads the annotations again only if their number has changed.
GRAFT_INLINE void write_data_types(Model& model, const DataTypes& types) {
  model.commit();
  detail::for_each_proto(model.graph(),
                         [](onnx::GraphProto& proto, const Graph&) { detail::remove_data_types(proto); });
  model.commit();
  detail::for_each_proto(model.graph(), [&](onnx::GraphProto& proto, const Graph& scope) {
    detail::add_data_types(proto, scope, types);
  });
  model.commit();
}

}  // namespace graft::inline v1::qonnx
