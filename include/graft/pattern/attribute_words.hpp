#pragma once
#include <string>
#include <string_view>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/pattern/capture.hpp>

// Types of attributes in words.

namespace graft::inline v1::detail {

/// "an int", "a float"
std::string with_article(std::string_view noun);
std::string with_article(AttributeKind type);
inline std::string with_article(schema::AttributeType type) {
  return with_article(static_cast<AttributeKind>(type));
}

/// ONNX's type of an attribute in a pattern or a replacement.
constexpr AttributeKind attribute_kind(Kind kind) {
  switch (kind) {
    case Kind::i64:
    case Kind::boolean:
    case Kind::dtype:
    case Kind::axis: return onnx::AttributeProto::INT;
    case Kind::f32: return onnx::AttributeProto::FLOAT;
    case Kind::str: return onnx::AttributeProto::STRING;
    case Kind::ints:
    case Kind::axes: return onnx::AttributeProto::INTS;
    case Kind::floats: return onnx::AttributeProto::FLOATS;
    case Kind::tensor: return onnx::AttributeProto::TENSOR;
    default: return onnx::AttributeProto::UNDEFINED;
  }
}

/// The C++ type that attr<...> declares for it; "..." if there is none.
constexpr std::string_view declared_type(AttributeKind kind) {
  switch (kind) {
    case onnx::AttributeProto::INT: return "std::int64_t";
    case onnx::AttributeProto::FLOAT: return "float";
    case onnx::AttributeProto::STRING: return "std::string_view";
    case onnx::AttributeProto::INTS: return "Ints";
    case onnx::AttributeProto::FLOATS: return "Floats";
    case onnx::AttributeProto::TENSOR: return "Tensor";
    default: return "...";
  }
}

}  // namespace graft::inline v1::detail
