#pragma once
#include <cstdint>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

constexpr bool is_half_width(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

/// The dtype of tensors of a type: of itself, or in a sequence or optional.
inline DType element_dtype(const onnx::TypeProto& type) {
  const onnx::TypeProto* inner = &type;
  for (;;) {
    if (inner->has_sequence_type()) inner = &inner->sequence_type().elem_type();
    else if (inner->has_optional_type()) inner = &inner->optional_type().elem_type();
    else break;
  }
  return inner->has_tensor_type() ? static_cast<DType>(inner->tensor_type().elem_type()) : DType::undefined;
}

inline void set_element_dtype(onnx::TypeProto& type, DType dtype) {
  onnx::TypeProto* inner = &type;
  for (;;) {
    if (inner->has_sequence_type()) inner = inner->mutable_sequence_type()->mutable_elem_type();
    else if (inner->has_optional_type()) inner = inner->mutable_optional_type()->mutable_elem_type();
    else break;
  }
  inner->mutable_tensor_type()->set_elem_type(static_cast<std::int32_t>(dtype));
}

/// Whether the value is a sequence or an optional, which Cast does not support.
inline bool is_container(const Value& value) { return value.type() != nullptr && !value.type()->has_tensor_type(); }

inline DType element_dtype(const Value& value) {
  return is_container(value) ? element_dtype(*value.type()) : value.dtype();
}

/// The conversion of some float dtypes to another one: f32 to f16, f32 to bf16, or both of these to f32.
struct FloatConversion {
  DType to;

  bool widens() const { return to == DType::f32; }
  bool converts(DType dtype) const { return widens() ? is_half_width(dtype) : dtype == DType::f32; }
  bool converts(const Value& value) const { return converts(element_dtype(value)); }
};

/// Whether the node is a Constant of dense data.
inline bool is_dense_constant(const Node& node) {
  return node.is("Constant") && node.attribute("sparse_value") == nullptr;
}

/// Whether the value is stored in the model: an initializer that no caller can override, or an output of a dense
/// Constant.
inline bool is_in_model(const Value& value) {
  if (value.producer() != nullptr) return is_dense_constant(*value.producer());
  return value.initializer() != nullptr && value.is_constant();
}

}  // namespace graft::inline v1::detail
