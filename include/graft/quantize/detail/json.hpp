#pragma once
// The JSON functions that ranges and targets need: protobuf's parser behind one header, and strings and numbers that
// are read back unchanged.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <graft/graph/error.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/unknown_fields.hpp>
#include <graft/quantize/target/json_limits.hpp>

namespace graft::inline v1::detail {

/// Whether JSON can be read. The lite runtime of protobuf has no parser, and then nothing may refer to one.
inline constexpr bool has_json = !is_lite<onnx::ModelProto>;
inline constexpr char no_json[] = "JSON cannot be read: this program has protobuf's lite runtime, which has no parser";

/// Joins protobuf's message and the text near the error to one printable line. Drops the last line of the message,
/// which only points at the text.
inline std::string on_one_line(std::string message) {
  message.resize(std::min(message.size(), message.rfind('\n')));
  for (char& c : message) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code >= 0x7f) c = code < 0x20 ? ' ' : '?';
  }
  message.resize(message.find_last_not_of(' ') + 1);
  return message;
}

/// The limit of nested brackets. Strings may have quotes of either kind.
inline std::size_t depth_of_json(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      else if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == '}' || c == ']') && depth != 0) {
      --depth;
    }
  }
  return deepest;
}

/// Throws Error with a message of one line if the text is not a JSON object, or exceeds the limits.
inline google::protobuf::Struct parse_json(std::string_view text, const JsonLimits& limits = {}) {
  if (text.size() > limits.max_bytes) throw Error("is over " + std::to_string(limits.max_bytes) + " bytes");
  if (depth_of_json(text) > limits.max_nested)
    throw Error("is not a JSON object that can be read: more than " + std::to_string(limits.max_nested) +
                " brackets are nested");
  google::protobuf::Struct object;
  const auto status = google::protobuf::util::JsonStringToMessage(std::string(text), &object);
  if (status.ok()) return object;
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || text[begin] != '{')
    throw Error("is not a JSON object: it does not begin with '{'");
  throw Error("is not a JSON object: " + on_one_line(std::string(status.message())));
}

inline std::string json_string(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (code < 0x20) {
      result += std::string("\\u00") + digits[code >> 4] + digits[code & 15];
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace graft::inline v1::detail
