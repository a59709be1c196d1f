#pragma once
#include <cstddef>
#include <cstdio>
#include <string>

/// Prints a line of the table. A second line of the same kind has an empty label.
inline void print_line(const char* label, const std::string& text) {
  std::printf("%-24s %s\n", label, text.c_str());
}

inline std::string counted(std::size_t number, const std::string& thing) {
  return std::to_string(number) + " " + thing + (number == 1 ? "" : "s");
}

inline std::string fixed(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}
