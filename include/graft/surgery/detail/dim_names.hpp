#pragma once
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/surgery/detail/declared_types.hpp>

namespace graft::inline v1::detail {

using DimProto = onnx::TensorShapeProto::Dimension;

/// Calls f with each extent in the type, including element types of sequences and the like.
template <class F>
void for_each_dim(onnx::TypeProto& type, F&& f) {
  const auto dims = [&](auto& tensor) {
    if (!tensor.has_shape()) return;
    for (DimProto& dim : *tensor.mutable_shape()->mutable_dim()) f(dim);
  };
  if (type.has_tensor_type()) dims(*type.mutable_tensor_type());
  if (type.has_sparse_tensor_type()) dims(*type.mutable_sparse_tensor_type());
  if (type.has_sequence_type()) for_each_dim(*type.mutable_sequence_type()->mutable_elem_type(), f);
  if (type.has_optional_type()) for_each_dim(*type.mutable_optional_type()->mutable_elem_type(), f);
  if (type.has_map_type()) for_each_dim(*type.mutable_map_type()->mutable_value_type(), f);
}

/// The text with each identifier `from` replaced, as exporters write "2*batch + 1"; nullopt if there is none.
inline std::optional<std::string> with_symbol(const std::string& text, std::string_view from, std::string_view to) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (text == from) return std::string(to);
  std::string result;
  bool is_found = false;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_part(text[end])) ++end;
    if (end == i) {
      result += text[i++];
      continue;
    }
    const bool is_it = std::string_view(text).substr(i, end - i) == from;
    is_found = is_found || is_it;
    result += is_it ? to : std::string_view(text).substr(i, end - i);
    i = end;
  }
  return is_found ? std::optional(result) : std::nullopt;
}

/// The values of a scope that may have a type.
template <class F>
void for_each_value(Graph& scope, F&& f) {
  for (Value* const input : scope.inputs()) f(*input);
  for (Value* const value : scope.initializers())
    if (!value->is_graph_input()) f(*value);
  for (Node& node : scope.nodes())
    for (Value& output : node.outputs()) f(output);
}

/// Lets f change each extent of all types of the graph and its bodies, and returns the number of changes. f returns
/// whether it changed the extent.
template <class F>
std::size_t change_dims(Graph& graph, F&& f) {
  std::size_t changes = 0;
  for (Graph* const scope : with_bodies(graph)) {
    const Declared declared(*scope);
    for_each_value(*scope, [&](Value& value) {
      if (value.type() == nullptr) return;
      onnx::TypeProto type = *value.type();
      std::size_t changed = 0;
      for_each_dim(type, [&](DimProto& dim) { changed += f(dim) ? 1 : 0; });
      if (changed == 0) return;
      changes += changed;
      if (value.is_graph_input() || value.is_graph_output()) {
        scope->declare_type(value, type);
      } else {
        declared.retype(value, type);
      }
    });
  }
  return changes;
}

/// The number of extents of graph inputs that have the symbol.
inline std::size_t count_in_inputs(const Graph& graph, std::string_view symbol) {
  std::size_t count = 0;
  for (const Value* const input : graph.inputs()) {
    if (input->type() == nullptr) continue;
    onnx::TypeProto type = *input->type();
    for_each_dim(type, [&](const DimProto& dim) { count += dim.dim_param() == symbol ? 1 : 0; });
  }
  return count;
}

/// Renames the symbol in all extents, also within expressions, and returns their number.
inline std::size_t replace_symbol(Graph& graph, std::string_view from, std::string_view to) {
  return change_dims(graph, [&](DimProto& dim) {
    const auto renamed = with_symbol(dim.dim_param(), from, to);
    if (renamed) dim.set_dim_param(*renamed);
    return renamed.has_value();
  });
}

}  // namespace graft::inline v1::detail
