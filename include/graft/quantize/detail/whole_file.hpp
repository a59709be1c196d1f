#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include <graft/graph/error.hpp>
#include <graft/graph/file_aside.hpp>

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
  FileAside aside(path);
  std::ofstream file(aside.path(), std::ios::binary);
  file << bytes;
  file.close();
  if (!file) throw Error("cannot be written").file(path.string());
  aside.publish();
}

}  // namespace graft::inline v1::detail
