#pragma once
#include <graft/config.hpp>
#include <graft/pattern/attribute_words.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::string with_article(std::string_view noun) {
  const bool vowel = std::string_view("aeiou").find(noun.substr(0, 1)) != std::string_view::npos;
  return (vowel ? "an " : "a ") + std::string(noun);
}

GRAFT_INLINE std::string with_article(AttributeKind type) {
  const bool list = type == onnx::AttributeProto::FLOATS || type == onnx::AttributeProto::INTS ||
                    type == onnx::AttributeProto::STRINGS || type == onnx::AttributeProto::TENSORS ||
                    type == onnx::AttributeProto::GRAPHS;
  return list ? "a list of " + std::string(to_string(type)) : with_article(to_string(type));
}

}  // namespace graft::inline v1::detail
