#pragma once
#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>

#include <algorithm>
#include <cstring>
#include <functional>

namespace graft::inline v1 {

GRAFT_INLINE std::string_view to_string(AttributeKind kind) {
  switch (kind) {
    case onnx::AttributeProto::FLOAT: return "float";
    case onnx::AttributeProto::INT: return "int";
    case onnx::AttributeProto::STRING: return "string";
    case onnx::AttributeProto::TENSOR: return "tensor";
    case onnx::AttributeProto::GRAPH: return "graph";
    case onnx::AttributeProto::SPARSE_TENSOR: return "sparse tensor";
    case onnx::AttributeProto::TYPE_PROTO: return "type";
    case onnx::AttributeProto::FLOATS: return "floats";
    case onnx::AttributeProto::INTS: return "ints";
    case onnx::AttributeProto::STRINGS: return "strings";
    case onnx::AttributeProto::TENSORS: return "tensors";
    case onnx::AttributeProto::GRAPHS: return "graphs";
    case onnx::AttributeProto::SPARSE_TENSORS: return "sparse tensors";
    case onnx::AttributeProto::TYPE_PROTOS: return "types";
    case onnx::AttributeProto::UNDEFINED: break;
  }
  return "undefined";
}

GRAFT_INLINE AttributeKind kind(const onnx::AttributeProto& attribute) {
  using A = onnx::AttributeProto;
  if (attribute.type() != A::UNDEFINED) return attribute.type();
  if (attribute.has_i()) return A::INT;
  if (attribute.has_f()) return A::FLOAT;
  if (attribute.has_s()) return A::STRING;
  if (attribute.has_t()) return A::TENSOR;
  if (attribute.has_g()) return A::GRAPH;
  if (attribute.has_sparse_tensor()) return A::SPARSE_TENSOR;
  if (attribute.has_tp()) return A::TYPE_PROTO;
  if (attribute.ints_size() > 0) return A::INTS;
  if (attribute.floats_size() > 0) return A::FLOATS;
  if (attribute.strings_size() > 0) return A::STRINGS;
  if (attribute.tensors_size() > 0) return A::TENSORS;
  if (attribute.graphs_size() > 0) return A::GRAPHS;
  if (attribute.sparse_tensors_size() > 0) return A::SPARSE_TENSORS;
  if (attribute.type_protos_size() > 0) return A::TYPE_PROTOS;
  return A::UNDEFINED;
}

namespace detail {

GRAFT_INLINE void want_kind(const onnx::AttributeProto& attribute, AttributeKind wanted) {
  const auto fail = [&](const std::string& message) {
    throw Error(message).field("attribute '" + attribute.name() + "'");
  };
  if (is_reference(attribute)) fail("it refers to the caller's attribute '" + attribute.ref_attr_name() + "'");
  const AttributeKind got = kind(attribute);
  const bool empty_list = got == onnx::AttributeProto::UNDEFINED &&
                          (wanted == onnx::AttributeProto::INTS || wanted == onnx::AttributeProto::FLOATS ||
                           wanted == onnx::AttributeProto::STRINGS);
  if (got == wanted || empty_list) return;
  fail("expected " + std::string(to_string(wanted)) + ", is " + std::string(to_string(got)));
}

GRAFT_INLINE Tensor tensor_of(const onnx::AttributeProto& attribute) {
  want_kind(attribute, onnx::AttributeProto::TENSOR);
  try {
    return read_tensor(attribute.t());
  } catch (Error& error) {
    error.field("attribute '" + attribute.name() + "'");
    throw;
  }
}

bool same_list(const auto& a, const auto& b, auto equal) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), equal);
}

inline bool same_float(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

inline bool same_message(const google::protobuf::MessageLite& a, const google::protobuf::MessageLite& b) {
  return a.SerializeAsString() == b.SerializeAsString();
}

inline bool same_tensor(const onnx::TensorProto& a, const onnx::TensorProto& b) {
  if (a.data_type() != b.data_type() || !same_list(a.dims(), b.dims(), std::equal_to<>())) return false;
  if (a.data_type() == onnx::TensorProto::STRING) return same_list(a.string_data(), b.string_data(), std::equal_to<>());
  if (a.data_location() == onnx::TensorProto::EXTERNAL || b.data_location() == onnx::TensorProto::EXTERNAL) {
    return a.data_location() == b.data_location() && same_list(a.external_data(), b.external_data(), same_message);
  }
  return read_tensor(a).same_bytes(read_tensor(b));
}

}  // namespace detail

GRAFT_INLINE bool same(const onnx::AttributeProto& a, const onnx::AttributeProto& b) {
  using A = onnx::AttributeProto;
  const AttributeKind of_a = kind(a);
  if (of_a != kind(b) || a.ref_attr_name() != b.ref_attr_name()) return false;
  if (is_reference(a)) return true;
  switch (of_a) {
    case A::UNDEFINED: return true;
    case A::FLOAT: return detail::same_float(a.f(), b.f());
    case A::INT: return a.i() == b.i();
    case A::STRING: return a.s() == b.s();
    case A::TENSOR: return detail::same_tensor(a.t(), b.t());
    case A::GRAPH: return detail::same_message(a.g(), b.g());
    case A::SPARSE_TENSOR: return detail::same_message(a.sparse_tensor(), b.sparse_tensor());
    case A::TYPE_PROTO: return detail::same_message(a.tp(), b.tp());
    case A::FLOATS: return detail::same_list(a.floats(), b.floats(), detail::same_float);
    case A::INTS: return detail::same_list(a.ints(), b.ints(), std::equal_to<>());
    case A::STRINGS: return detail::same_list(a.strings(), b.strings(), std::equal_to<>());
    case A::TENSORS: return detail::same_list(a.tensors(), b.tensors(), detail::same_tensor);
    case A::GRAPHS: return detail::same_list(a.graphs(), b.graphs(), detail::same_message);
    case A::SPARSE_TENSORS: return detail::same_list(a.sparse_tensors(), b.sparse_tensors(), detail::same_message);
    case A::TYPE_PROTOS: return detail::same_list(a.type_protos(), b.type_protos(), detail::same_message);
  }
  return false;
}

}  // namespace graft::inline v1
