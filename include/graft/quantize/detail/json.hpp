#pragma once
// The little of JSON that ranges need: protobuf's parser behind one header, and strings and numbers that read back as
// they were.
#include <string>
#include <string_view>

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

/// Throws Error if the text is no JSON object.
inline google::protobuf::Struct parse_json(std::string_view text) {
  google::protobuf::Struct object;
  const auto status = google::protobuf::util::JsonStringToMessage(std::string(text), &object);
  if (!status.ok()) throw Error("is no JSON object: " + std::string(status.message()));
  return object;
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
