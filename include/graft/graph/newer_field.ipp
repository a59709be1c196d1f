#pragma once
#include <graft/graph/newer_field.hpp>

#include <graft/config.hpp>
#include <graft/graph/unknown_fields.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

namespace detail {

template <class Message>
std::string overload_in(const Message& message, int number) {
  if constexpr (requires { message.overload(); }) {
    return message.overload();
  } else {
    const std::vector<std::string> given = unknown_texts(message, number);
    return given.empty() ? std::string() : given.back();
  }
}

template <class Function>
std::vector<onnx::AttributeProto> attribute_protos_in(const Function& function) {
  if constexpr (requires { function.attribute_proto(); }) {
    return {function.attribute_proto().begin(), function.attribute_proto().end()};
  } else {
    std::vector<onnx::AttributeProto> attributes;
    for (const std::string& bytes : unknown_texts(function, 11))
      if (!attributes.emplace_back().ParseFromString(bytes))
        throw Error("cannot be read").field("attribute_proto of function '" + function.name() + "'");
    return attributes;
  }
}

}  // namespace detail

GRAFT_INLINE std::string overload_of(const onnx::NodeProto& call) { return detail::overload_in(call, 8); }

GRAFT_INLINE std::string overload_of(const onnx::FunctionProto& function) { return detail::overload_in(function, 13); }

GRAFT_INLINE std::vector<onnx::AttributeProto> attribute_protos_of(const onnx::FunctionProto& function) {
  return detail::attribute_protos_in(function);
}

}  // namespace graft::inline v1
