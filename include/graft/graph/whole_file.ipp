#pragma once
#include <graft/graph/whole_file.hpp>

#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <span>
#include <system_error>

#include <fcntl.h>

#include <graft/config.hpp>
#include <graft/graph/detail/file_descriptor.hpp>
#include <graft/graph/detail/positioned_io.hpp>
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
  try {
    detail::FileDescriptor file(aside.path(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    detail::write_at(file.get(), 0, std::as_bytes(std::span(bytes)));
    file.close();
  } catch (const Error& error) {
    throw Error(error.message()).file(path);
  }
  aside.publish();
}

}  // namespace graft::inline v1
