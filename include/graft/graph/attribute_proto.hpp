#pragma once
#include <concepts>
#include <cstdint>
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

/// The kind of an attribute's value: ONNX's enumeration onnx::AttributeProto::INT and so on.
using AttributeKind = onnx::AttributeProto::AttributeType;

/// "int", "floats", "tensor"
std::string_view to_string(AttributeKind kind);

/// The kind of the value. IR version 1 has no type field: there the filled field decides, UNDEFINED if none is filled.
AttributeKind kind(const onnx::AttributeProto& attribute);

/// Whether an attribute in a function body takes its value from an attribute of the function's caller.
inline bool is_reference(const onnx::AttributeProto& attribute) { return !attribute.ref_attr_name().empty(); }

namespace detail {

void want_kind(const onnx::AttributeProto& attribute, AttributeKind wanted);
Tensor tensor_of(const onnx::AttributeProto& attribute);

template <class T>
inline constexpr bool cannot_read = false;

}  // namespace detail

/// The value of an attribute. T: std::int64_t, bool (an int that is not 0), DType, float, std::string,
/// std::string_view, Ints, Floats, a std::span<const ...> of their elements, std::vector<std::string>, Tensor. Views
/// and Tensors refer to the attribute's memory. Throws Error with the attribute as its field for another kind and for a
/// reference.
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
    return detail::tensor_of(attribute);
  } else {
    static_assert(detail::cannot_read<T>, "an attribute cannot be read as this type");
  }
}

/// Whether two attributes have the same kind and equal values. Numbers and tensors are compared bit for bit, in any
/// encoding. Graphs, types and sparse tensors are compared as serialized; references by the caller's attribute. Names
/// and doc strings of the attributes do not count. Throws Error for malformed tensors.
bool same(const onnx::AttributeProto& a, const onnx::AttributeProto& b);

}  // namespace graft::inline v1
