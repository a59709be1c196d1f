#pragma once
#include <graft/quantize/kernel/release.hpp>

#include <charconv>
#include <system_error>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Release Release::parse(std::string_view version) {
  const char* const end = version.data() + version.size();
  Release release;
  const auto first = std::from_chars(version.data(), end, release.major);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == '.' && release.major >= 0) {
    const auto second = std::from_chars(first.ptr + 1, end, release.minor);
    if (second.ec == std::errc() && (second.ptr == end || *second.ptr == '.') && release.minor >= 0) return release;
  }
  throw Error("'" + std::string(version) + "' is not a release: expected two numbers, like 1.31").field("release");
}

GRAFT_INLINE std::string to_string(Release release) {
  return std::to_string(release.major) + "." + std::to_string(release.minor);
}

}  // namespace graft::inline v1
