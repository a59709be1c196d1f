#pragma once
#include <concepts>
#include <functional>
#include <string>
#include <string_view>

namespace graft::inline v1 {

/// Names of nodes or tensors: one, or as many as match an ECMAScript regular expression as a whole. Names of more than
/// 1000 characters match no expression, because the standard library's matcher takes stack for each of them.
class NamePattern {
 public:
  /// Throws Error if the text is no regular expression.
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

#ifndef GRAFT_COMPILED
#include <graft/graph/name_pattern.ipp>
#endif
