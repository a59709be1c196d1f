#pragma once
#include <concepts>
#include <cstddef>
#include <functional>
#include <regex>
#include <string>
#include <string_view>

#include <graft/graph/error.hpp>

namespace graft::inline v1 {

/// Names of nodes or tensors: one, or as many as match an ECMAScript regular expression as a whole. Names of more than
/// 1000 characters are none that match, for the standard library's matcher takes stack for each of them.
class NamePattern {
 public:
  /// Throws Error if the text is no regular expression. A template, so that only those who use it compile std::regex.
  template <std::convertible_to<std::string_view> T>
  NamePattern(const T& text) : text_(std::string_view(text)), matches_(matcher(text_)) {}

  const std::string& text() const { return text_; }
  bool matches(std::string_view name) const { return name == text_ || matches_(name); }

 private:
  template <class T>
  static std::function<bool(std::string_view)> matcher(const T& text) {
    constexpr std::size_t longest = 1000;
    try {
      return [expression = std::regex(text, std::regex::ECMAScript | std::regex::nosubs)](std::string_view name) {
        return name.size() <= longest && std::regex_match(name.begin(), name.end(), expression);
      };
    } catch (const std::regex_error& error) {
      throw Error("'" + text + "' is no regular expression: " + error.what());
    }
  }

  std::string text_;
  std::function<bool(std::string_view)> matches_;
};

}  // namespace graft::inline v1
