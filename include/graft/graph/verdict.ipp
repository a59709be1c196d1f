#pragma once
#include <graft/config.hpp>
#include <graft/graph/verdict.hpp>

#include <cstddef>
#include <cstdio>

namespace graft::inline v1 {

GRAFT_INLINE std::string to_string(const Reason& reason) {
  std::string text;
  std::size_t next = 0;
  const auto number = [&] {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.9g", reason.numbers[next++]);
    return std::string(digits);
  };
  constexpr std::string_view name = "{name}";
  for (std::size_t i = 0; i < reason.text.size(); ++i) {
    if (reason.text.substr(i, name.size()) == name) {
      text += reason.name;
      i += name.size() - 1;
      continue;
    }
    const bool place = reason.text.substr(i, 2) == "{}" && next < reason.number_count;
    if (place) ++i;
    text += place ? number() : std::string(1, reason.text[i]);
  }
  if (next == reason.number_count) return text;
  text += " (" + number();
  while (next < reason.number_count) text += ", " + number();
  return text + ")";
}

}  // namespace graft::inline v1
