#pragma once
#include <compare>
#include <string>
#include <string_view>

#include <graft/config.hpp>

namespace graft::inline v1 {

/// A release of a runtime; what differs within one is not told apart.
struct Release {
  int major = 0, minor = 0;

  auto operator<=>(const Release&) const = default;

  /// Of "1.31", or of a longer version that begins so: "1.31.1". Throws Error for other text.
  static Release parse(std::string_view version);
};

/// "1.31".
std::string to_string(Release release);

}  // namespace graft::inline v1
