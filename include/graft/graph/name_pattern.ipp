#pragma once
#include <graft/graph/name_pattern.hpp>

#include <cstddef>
#include <regex>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::function<bool(std::string_view)> NamePattern::matcher(const std::string& text) {
  constexpr std::size_t longest = 1000;
  try {
    return [expression = std::regex(text, std::regex::ECMAScript | std::regex::nosubs)](std::string_view name) {
      return name.size() <= longest && std::regex_match(name.begin(), name.end(), expression);
    };
  } catch (const std::regex_error&) {  // its own message varies between standard libraries, and says less
    throw Error("'" + text + "' is not a regular expression; patterns match whole names, as in head.*");
  }
}

}  // namespace graft::inline v1
