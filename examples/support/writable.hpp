#pragma once
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include <graft/graph/error.hpp>

namespace detail {

/// Throws graft::Error naming the file if it is a folder or `opens`, which leaves its reason in errno, says no.
template <class Opens>
void check_opens(const std::filesystem::path& path, Opens&& opens) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw graft::Error("cannot be written: it is a folder").file(path.string());
  if (!opens()) throw graft::Error(std::string("cannot be written: ") + std::strerror(errno)).file(path.string());
}

}  // namespace detail

/// Throws graft::Error naming the file if it cannot be opened for writing, so that nobody works hours for nothing. What
/// stands there, a pipe perhaps, stays as it is.
inline void check_writable(const std::filesystem::path& path) {
  detail::check_opens(path, [&] {
    std::error_code ignored;
    const bool exists = std::filesystem::exists(path, ignored);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    return ::access((exists ? path : folder).c_str(), W_OK) == 0;
  });
}

/// The same for a file that is written aside and renamed: tries with an empty file beside it, which goes again.
inline void check_replaceable(const std::filesystem::path& path) {
  detail::check_opens(path, [&] {
    const std::filesystem::path aside = path.string() + ".try" + std::to_string(::getpid());
    if (!std::ofstream(aside).is_open()) return false;
    std::error_code ignored;
    std::filesystem::remove(aside, ignored);
    return true;
  });
}
