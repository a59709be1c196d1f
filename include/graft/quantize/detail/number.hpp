#pragma once
#include <charconv>
#include <string>

namespace graft::inline v1::detail {

/// The shortest decimal that reads back as the same number.
inline std::string shortest(float value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace graft::inline v1::detail
