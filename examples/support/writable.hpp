#pragma once
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include <graft/graph/atomic_file.hpp>
#include <graft/graph/error.hpp>

/// Throws graft::Error naming the file if it cannot be written, so that a long run does not fail at its end. Creates an
/// empty temporary file beside it, and removes it.
inline void check_replaceable(const std::filesystem::path& path) {
  const graft::AtomicFile aside(path.string());
  if (!std::ofstream(aside.path()).is_open())
    throw graft::Error(std::string("cannot be written: ") + std::strerror(errno)).file(path.string());
}

/// Whether two non-empty paths name the same file. The file need not exist yet.
inline bool is_one_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code failure;
  if (a.empty() || b.empty()) return false;
  if (std::filesystem::equivalent(a, b, failure)) return true;
  const std::filesystem::path one = std::filesystem::weakly_canonical(a, failure);
  if (failure) return false;  // for example a link to itself, which fails again when it is opened
  return one == std::filesystem::weakly_canonical(b, failure) && !failure;
}

/// Throws graft::Error naming the output if writing it would replace one of the other files.
inline void check_apart(const std::filesystem::path& output, const std::vector<std::filesystem::path>& others) {
  for (const std::filesystem::path& other : others)
    if (is_one_file(output, other))
      throw graft::Error("would be overwritten: it is also an input or output of this run; name another output")
          .file(output.string());
}
