#pragma once
#include <charconv>
#include <string_view>
#include <system_error>
#ifndef __cpp_lib_to_chars  // libc++ before 20
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#endif

namespace graft::inline v1 {

/// Reads a number that is all of the text. Returns whether it is one, and within the range of double.
inline bool parse_double(std::string_view text, double& value) {
#ifdef __cpp_lib_to_chars
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return end == text.data() + text.size() && failure == std::errc();
#else
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  // A number below the normal ones sets both.
  const bool is_number = stream >> value || (value != 0 && std::abs(value) < std::numeric_limits<double>::max());
  stream.clear();
  return is_number && stream.peek() == std::istringstream::traits_type::eof();
#endif
}

}  // namespace graft::inline v1
