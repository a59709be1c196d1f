#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include <unistd.h>

#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

/// Throws Error naming the file.
inline std::string read_whole(const std::filesystem::path& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, ignored)) throw Error("cannot be read").file(path.string());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The file appears whole or not at all. Throws Error naming it if it cannot be written.
inline void write_whole(const std::filesystem::path& path, const std::string& bytes) {
  const std::filesystem::path aside = path.string() + ".part" + std::to_string(::getpid());
  std::ofstream file(aside, std::ios::binary);
  file << bytes;
  file.close();
  std::error_code failure;
  if (file) std::filesystem::rename(aside, path, failure);
  if (file && !failure) return;
  std::error_code ignored;
  std::filesystem::remove(aside, ignored);
  throw Error("cannot be written" + (failure ? ": " + failure.message() : std::string())).file(path.string());
}

}  // namespace graft::inline v1::detail
