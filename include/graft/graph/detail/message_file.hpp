#pragma once
// Protobuf messages on disk, read and written without a second copy in memory.
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/message_lite.h>

#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

inline constexpr std::size_t message_limit = std::numeric_limits<int>::max();

class FileDescriptor {
 public:
  FileDescriptor(const std::filesystem::path& path, int flags, mode_t mode = 0)
      : fd_(::open(path.c_str(), flags, mode)) {
    if (fd_ < 0) throw Error(std::strerror(errno)).file(path.string());
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  /// Throws Error if what was written did not reach the file.
  void close() {
    if (::close(std::exchange(fd_, -1)) != 0) throw Error(std::string("cannot be written: ") + std::strerror(errno));
  }

 private:
  int fd_;
};

/// Throws Error naming the file if it cannot be read or does not hold such a message, what: "model"; if it is too large
/// for one, with that advice.
inline void read_message(const std::filesystem::path& path, google::protobuf::MessageLite& proto,
                         const std::string& what, const std::string& advice = {}) {
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) throw Error("is a folder, not a " + what).file(path.string());
  const FileDescriptor file(path, O_RDONLY | O_CLOEXEC);
  const auto size = std::filesystem::file_size(path, failure);
  if (!failure && size == 0) throw Error("is empty").file(path.string());
  if (!failure && size > message_limit)
    throw Error("is over 2 GiB: protobuf cannot read it" + advice).file(path.string());
  google::protobuf::io::FileInputStream stream(file.get());
  if (!proto.ParseFromZeroCopyStream(&stream))
    throw Error("is no ONNX " + what + ", or a truncated one").file(path.string());
}

/// Names the final place, not the file aside, when it fails.
inline void write_message(const google::protobuf::MessageLite& proto, const std::filesystem::path& aside,
                          const std::filesystem::path& target) {
  try {
    FileDescriptor file(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    google::protobuf::io::FileOutputStream stream(file.get());
    if (!proto.SerializeToZeroCopyStream(&stream) || !stream.Flush())
      throw Error(std::string("cannot be written: ") + std::strerror(stream.GetErrno()));
    file.close();
  } catch (const Error& error) {
    throw Error(error.message()).file(target.string());
  }
}

}  // namespace graft::inline v1::detail
