#pragma once
#include <graft/graph/whole_file.hpp>

#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <system_error>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/file_aside.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string read_whole(const std::string& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, ignored)) throw Error("cannot be read").file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

GRAFT_INLINE void write_whole(const std::string& path, const std::string& bytes) {
  FileAside aside(path);
  std::ofstream file(aside.path(), std::ios::binary);
  file << bytes;
  file.close();
  if (!file) throw Error("cannot be written").file(path);
  aside.publish();
}

}  // namespace graft::inline v1
