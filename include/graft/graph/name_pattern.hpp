#pragma once
#include <concepts>
#include <functional>
#include <string>
#include <string_view>

#include <graft/config.hpp>

namespace graft::inline v1 {

/// A pattern for names of nodes or tensors: one name, or an ECMAScript regular expression for the whole name. Names of
/// more than 1000 characters match no expression, because the standard library's matcher takes stack for each
/// character.
class NamePattern {
 public:
  /// Throws Error if the text is not a regular expression.
  template <std::convertible_to<std::string_view> T>
  NamePattern(const T& text) : text_(std::string_view(text)), matches_(matcher(text_)) {}

  const std::string& text() const { return text_; }
  bool matches(std::string_view name) const { return name == text_ || matches_(name); }

 private:
  static std::function<bool(std::string_view)> matcher(const std::string& text);

  std::string text_;
  std::function<bool(std::string_view)> matches_;
};

}  // namespace graft::inline v1
