#pragma once
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <system_error>

#include <graft/graph/error.hpp>
#include <graft/graph/file_aside.hpp>

/// Throws graft::Error naming the file if it cannot be written aside, so that nobody works hours for nothing: tries
/// with an empty one, which goes again.
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
