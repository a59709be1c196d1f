#pragma once
#include <graft/session/session_config.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE const SessionOption& session_option(std::string_view name) {
  const auto found = std::find_if(session_options.begin(), session_options.end(),
                                  [&](const SessionOption& option) { return option.name == name; });
  if (found == session_options.end()) throw Error("there is no such option of a session").field(name);
  return *found;
}

namespace detail {

/// The reason why the value does not have the type; "" if it does.
inline std::string_view why_not_a_value(SessionOptionType type, std::string_view value) {
  const auto is_one_of = [&](auto... names) { return ((value == names) || ...); };
  int number = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
  switch (type) {
    case SessionOptionType::execution_mode:
      return is_one_of("sequential", "parallel") ? "" : "expected sequential or parallel";
    case SessionOptionType::optimization_level:
      return is_one_of("disabled", "basic", "extended", "all") ? "" : "expected disabled, basic, extended or all";
    case SessionOptionType::flag: return is_one_of("0", "1") ? "" : "expected 0 or 1";
    case SessionOptionType::count:
      return read.ec == std::errc() && read.ptr == value.data() + value.size() && number >= 0
                 ? "" : "expected a whole number of at least 0";
    case SessionOptionType::text: return value.empty() ? "expected a text" : "";
  }
  return "";
}

}  // namespace detail

GRAFT_INLINE void check_session_config(const SessionConfig& config) {
  for (const auto& [name, value] : config) {
    const std::string_view why = detail::why_not_a_value(session_option(name).type, value);
    if (!why.empty()) throw Error(std::string(why) + ", found '" + value + "'").field(name);
  }
}

GRAFT_INLINE std::string to_string(const SessionConfig& config) {
  std::string text;
  for (const auto& [name, value] : config) text += (text.empty() ? "" : ", ") + name + "=" + value;
  return text.empty() ? "default" : text;
}

GRAFT_INLINE SessionConfig with_option(SessionConfig config, std::string_view name, std::string_view value) {
  if (value == session_option(name).preset) config.erase(std::string(name));
  else config.insert_or_assign(std::string(name), std::string(value));
  return config;
}

}  // namespace graft::inline v1
