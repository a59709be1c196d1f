#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/tensor_proto.hpp>

namespace graft::inline v1 {

using Ints = std::vector<std::int64_t>;
using Floats = std::vector<float>;

/// Which kind of value an attribute has: ONNX's own enumeration, onnx::AttributeProto::INT and so on.
using AttributeKind = onnx::AttributeProto::AttributeType;

/// "int", "floats", "tensor"
inline std::string_view to_string(AttributeKind kind) {
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

/// The kind of the value. IR version 1 had no type field: then that of the field which is filled, UNDEFINED if none is.
inline AttributeKind kind(const onnx::AttributeProto& attribute) {
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

/// Whether the attribute, which stands in a function body, takes its value from an attribute of the function's caller.
inline bool is_reference(const onnx::AttributeProto& attribute) { return !attribute.ref_attr_name().empty(); }

namespace detail {

inline void want_kind(const onnx::AttributeProto& attribute, AttributeKind wanted) {
  const auto fail = [&](const std::string& message) {
    throw Error(message).field("attribute '" + attribute.name() + "'");
  };
  if (is_reference(attribute)) fail("its value is that of the caller's '" + attribute.ref_attr_name() + "'");
  const AttributeKind got = kind(attribute);
  const bool empty_list = got == onnx::AttributeProto::UNDEFINED &&
                          (wanted == onnx::AttributeProto::INTS || wanted == onnx::AttributeProto::FLOATS ||
                           wanted == onnx::AttributeProto::STRINGS);
  if (got == wanted || empty_list) return;
  fail("wanted " + std::string(to_string(wanted)) + ", is " + std::string(to_string(got)));
}

template <class T>
inline constexpr bool cannot_read = false;

bool same_list(const auto& a, const auto& b, auto equal) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), equal);
}

inline bool same_float(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

inline bool same_message(const google::protobuf::Message& a, const google::protobuf::Message& b) {
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

/// The value of an attribute. T: std::int64_t, bool (an int that is not 0), DType, float, std::string,
/// std::string_view, Ints, Floats, std::span<const ...> of either's elements, std::vector<std::string>, Tensor.
/// Views and Tensors look at the attribute's own memory. Throws Error, its field naming the attribute, if it is of
/// another kind or a reference.
template <class T>
T read(const onnx::AttributeProto& attribute) {
  using A = onnx::AttributeProto;
  if constexpr (std::same_as<T, bool>) {
    return read<std::int64_t>(attribute) != 0;
  } else if constexpr (std::same_as<T, DType>) {
    return static_cast<DType>(read<std::int64_t>(attribute));
  } else if constexpr (std::same_as<T, std::int64_t>) {
    detail::want_kind(attribute, A::INT);
    return attribute.i();
  } else if constexpr (std::same_as<T, float>) {
    detail::want_kind(attribute, A::FLOAT);
    return attribute.f();
  } else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::string_view>) {
    detail::want_kind(attribute, A::STRING);
    return attribute.s();
  } else if constexpr (std::same_as<T, std::span<const std::int64_t>> || std::same_as<T, Ints>) {
    detail::want_kind(attribute, A::INTS);
    return T(attribute.ints().data(), attribute.ints().data() + attribute.ints_size());
  } else if constexpr (std::same_as<T, std::span<const float>> || std::same_as<T, Floats>) {
    detail::want_kind(attribute, A::FLOATS);
    return T(attribute.floats().data(), attribute.floats().data() + attribute.floats_size());
  } else if constexpr (std::same_as<T, std::vector<std::string>>) {
    detail::want_kind(attribute, A::STRINGS);
    return T(attribute.strings().begin(), attribute.strings().end());
  } else if constexpr (std::same_as<T, Tensor>) {
    detail::want_kind(attribute, A::TENSOR);
    try {
      return read_tensor(attribute.t());
    } catch (Error& error) {
      error.field("attribute '" + attribute.name() + "'");
      throw;
    }
  } else {
    static_assert(detail::cannot_read<T>, "an attribute cannot be read as this type");
  }
}

/// Whether two attributes have equal values: of one kind; numbers and tensors bit for bit, however they are stored;
/// graphs, types and sparse tensors by their serialized form; references, if they name the same attribute of the
/// caller. Their own names and doc strings do not count. Throws Error for malformed tensors.
inline bool same(const onnx::AttributeProto& a, const onnx::AttributeProto& b) {
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
