#pragma once
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// Whether the type of the value can be declared. ONNX requires a type for an output.
inline bool has_type(const Value& value) {
  if (value.type() == nullptr) return value.initializer() != nullptr;
  return !value.type()->has_tensor_type() || value.dtype() != DType::undefined;
}

/// Makes a value the last output of the graph. Throws Error if its type is unknown: see infer_shapes().
inline void expose(Graph& graph, Value& value) {
  if (!has_type(value)) throw Error("cannot be an output: its type is not known").field(value.name());
  const bool is_bare = value.type() == nullptr;
  const onnx::TypeProto type = is_bare ? tensor_type(value.dtype(), value.shape()) : *value.type();
  graph.add_output(value);
  graph.declare_type(value, type);
}

}  // namespace graft::inline v1::detail
