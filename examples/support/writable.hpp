#pragma once
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <system_error>

#include <unistd.h>

#include <graft/graph/error.hpp>
#include <graft/graph/file_aside.hpp>

/// Throws graft::Error naming the file if it cannot be opened for writing, so that nobody works hours for nothing. What
/// stands there, a pipe perhaps, stays as it is.
inline void check_writable(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw graft::Error("cannot be written: it is a folder").file(path.string());
  const bool exists = std::filesystem::exists(path, ignored);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (::access((exists ? path : folder).c_str(), W_OK) != 0)
    throw graft::Error(std::string("cannot be written: ") + std::strerror(errno)).file(path.string());
}

/// The same for a file that is written aside: tries with an empty one, which goes again.
inline void check_replaceable(const std::filesystem::path& path) {
  const graft::FileAside aside(path);
  if (!std::ofstream(aside.path()).is_open())
    throw graft::Error(std::string("cannot be written: ") + std::strerror(errno)).file(path.string());
}

/// Throws graft::Error naming the output if it is one of the files that are read, which it would replace.
inline void check_apart(const std::filesystem::path& output, std::initializer_list<std::filesystem::path> inputs) {
  for (const std::filesystem::path& input : inputs) {
    std::error_code ignored;
    if (!output.empty() && !input.empty() && std::filesystem::equivalent(output, input, ignored))
      throw graft::Error("would be replaced: it is read as well; name another output").file(output.string());
  }
}
