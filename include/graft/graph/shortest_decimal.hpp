#pragma once
#include <charconv>
#include <string>

namespace graft::inline v1 {

/// The shortest decimal text that reads back as the same number. Number is an arithmetic type.
template <class Number>
std::string shortest_decimal(Number value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace graft::inline v1
