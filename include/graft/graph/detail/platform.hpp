#pragma once
// What POSIX and Windows call by different names. Strings of paths are UTF-8.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace graft::inline v1::detail::platform {

// A failed call returns -1, or false, and sets errno.

enum class Opening {
  read,
  read_at_once,  ///< does not wait for the writer of a pipe
  write,         ///< creates the file, or empties it
};

/// Opens a file of bytes; text is not converted, and child processes do not inherit it. Others may rename and remove
/// it.
int open(const std::string& path, Opening how);
int close(int file);
bool rewind(int file);
/// Moves the position on.
bool skip(int file, std::int64_t bytes);
/// These read and write at the position, and move it on.
std::int64_t read(int file, std::span<std::byte> into);
std::int64_t write(int file, std::span<const std::byte> bytes);
/// These read and write at an offset.
std::int64_t read(int file, std::uint64_t offset, std::span<std::byte> into);
std::int64_t write(int file, std::uint64_t offset, std::span<const std::byte> bytes);

struct FileState {
  bool is_regular = false;
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t seconds = 0, nanoseconds = 0;  // the modification time
};
bool read_state(int file, FileState& state);

/// A file in the folder that goes when it is closed.
int open_scratch(const std::string& folder);

/// A file without a name in the folder, and a path by which this process opens it. The file is -1 where the system has
/// no such files.
struct UnnamedFile {
  int file = -1;
  std::string path{};
};
UnnamedFile open_unnamed(const std::string& folder);

/// Gives a file another name, or moves it there if the system has no links. Fails if that name exists.
bool link(const std::string& file, const std::string& name);
/// Whether errno means that a file system has no links.
bool lacks_links(int error);
bool move(const std::string& file, const std::string& name);

std::uint64_t process_id();
std::size_t physical_memory();

}  // namespace graft::inline v1::detail::platform
