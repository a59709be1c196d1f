#pragma once
#include <graft/graph/whole_file.hpp>

#include <array>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <span>
#include <system_error>

#include <graft/config.hpp>
#include <graft/graph/atomic_file.hpp>
#include <graft/graph/detail/file_descriptor.hpp>
#include <graft/graph/detail/paths.hpp>
#include <graft/graph/detail/platform.hpp>
#include <graft/graph/detail/positioned_io.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string read_whole(const std::string& path, std::size_t max_bytes) {
  std::error_code ignored;
  const std::filesystem::path place = detail::platform::path_of(path);
  std::ifstream file(place, std::ios::binary);
  if (!file || std::filesystem::is_directory(place, ignored)) throw Error("cannot be read").file(path);
  std::string bytes;
  std::array<char, 1 << 16> part{};
  // A file that is not regular, such as a pipe, has no size in advance.
  while (file.read(part.data(), part.size()), file.gcount() > 0) {
    bytes.append(part.data(), static_cast<std::size_t>(file.gcount()));
    if (bytes.size() > max_bytes) throw Error("is over " + std::to_string(max_bytes) + " bytes").file(path);
  }
  return bytes;
}

GRAFT_INLINE void write_whole(const std::string& path, const std::string& bytes) {
  AtomicFile aside(path);
  try {
    detail::FileDescriptor file(aside.path(), detail::platform::Opening::write);
    detail::write_at(file.get(), 0, std::as_bytes(std::span(bytes)));
    file.close();
  } catch (const Error& error) {
    throw Error(error.message()).file(path);
  }
  aside.publish();
}

}  // namespace graft::inline v1
