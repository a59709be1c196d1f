#pragma once
// Protobuf messages on disk, read and written without a second copy in memory.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/message.h>

#include <graft/graph/detail/parsed_memory.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/whole_file.hpp>

namespace graft::inline v1::detail {

inline constexpr std::size_t message_limit = file_limit;

class FileDescriptor {
 public:
  FileDescriptor(const std::string& path, int flags, mode_t mode = 0)
      : fd_(::open(path.c_str(), flags, mode)) {
    if (fd_ < 0) throw Error(std::strerror(errno)).file(path);
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

/// How deep the messages in each other lie at most that protobuf reads: the same for every reader that leaves protobuf
/// its default. A graph inside a graph is three of them deeper.
inline constexpr std::size_t nesting_limit = 100, messages_per_graph = 3;

/// Throws Error if the bytes of a model hold bodies in bodies beyond nesting_limit. Otherwise returns,
/// also for what is no model: it reads no more than where messages begin and end, without recursion.
inline void check_nesting(google::protobuf::io::ZeroCopyInputStream& stream) {
  enum Kind { model, graph, node, attribute, function };
  struct Child {
    Kind parent;
    int field;
    Kind kind;
  };
  constexpr Child children[] = {{model, 7, graph},    {model, 25, function},  {function, 7, node},
                                {graph, 1, node},     {node, 5, attribute},   {attribute, 6, graph},
                                {attribute, 11, graph}};
  struct Open {
    Kind kind;
    google::protobuf::io::CodedInputStream::Limit outer;
  };
  google::protobuf::io::CodedInputStream input(&stream);
  std::vector<Open> open{{model, 0}};
  while (true) {
    if (open.size() > 1 && input.BytesUntilLimit() == 0) {
      input.PopLimit(open.back().outer);
      open.pop_back();
      continue;
    }
    const std::uint32_t tag = input.ReadTag();
    std::uint32_t size = 0;
    std::uint64_t number = 0;
    switch (tag & 7u) {
      case 0:
        if (tag == 0 || !input.ReadVarint64(&number)) return;
        break;
      case 1:
        if (!input.Skip(8)) return;
        break;
      case 5:
        if (!input.Skip(4)) return;
        break;
      case 2: {
        if (!input.ReadVarint32(&size) || size > message_limit) return;
        const auto child = std::find_if(std::begin(children), std::end(children), [&](const Child& one) {
          return one.parent == open.back().kind && one.field == static_cast<int>(tag >> 3);
        });
        if (child == std::end(children)) {
          if (!input.Skip(static_cast<int>(size))) return;
        } else {
          open.push_back({child->kind, input.PushLimit(static_cast<int>(size))});
          if (open.size() > nesting_limit + 1)
            throw Error("nests bodies deeper than the " + std::to_string(nesting_limit / messages_per_graph) +
                        " levels that protobuf reads");
        }
        break;
      }
      default: return;
    }
  }
}

struct MessageLimits {
  std::size_t most_bytes = message_limit;
  std::size_t most_memory = std::numeric_limits<std::size_t>::max();
};

/// Throws Error naming the file if it cannot be read, does not hold such a message, what: "model", or is beyond the
/// limits; if it is too large for protobuf, with that advice.
inline void read_message(const std::string& path, google::protobuf::Message& proto, const std::string& what,
                         const MessageLimits& limits, const std::string& advice = {}) {
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) throw Error("is a folder, not a " + what).file(path);
  const FileDescriptor file(path, O_RDONLY | O_CLOEXEC);
  const auto size = std::filesystem::file_size(path, failure);
  if (!failure && size == 0) throw Error("is empty").file(path);
  if (!failure && size > message_limit)
    throw Error("is over 2 GiB: protobuf cannot read it" + advice).file(path);
  const std::size_t most_bytes = std::min(limits.most_bytes, message_limit);
  if (!failure && size > most_bytes)
    throw Error("has " + std::to_string(size) + " bytes, the limit is " + std::to_string(most_bytes)).file(path);
  if (!failure && size > limits.most_memory / most_growth_of_parsing) {
    google::protobuf::io::FileInputStream bytes(file.get());
    if (!fits_in_memory(bytes, proto, limits.most_memory))
      throw Error("would take over " + std::to_string(limits.most_memory) + " bytes of memory").file(path);
    if (::lseek(file.get(), 0, SEEK_SET) != 0) throw Error(std::strerror(errno)).file(path);
  }
  google::protobuf::io::FileInputStream stream(file.get());
  // What is no regular file has no size: it is read up to the limit.
  google::protobuf::io::LimitingInputStream limited(&stream, static_cast<std::int64_t>(most_bytes));
  if (proto.ParseFromZeroCopyStream(&limited)) return;
  try {
    const FileDescriptor again(path, O_RDONLY | O_CLOEXEC);
    google::protobuf::io::FileInputStream bytes(again.get());
    check_nesting(bytes);
  } catch (Error& error) {
    throw error.file(path);
  }
  throw Error("is no ONNX " + what + ", or a truncated one").file(path);
}

/// Names the final place, not the file aside, when it fails.
inline void write_message(const google::protobuf::MessageLite& proto, const std::string& aside,
                          const std::string& target) {
  try {
    FileDescriptor file(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    google::protobuf::io::FileOutputStream stream(file.get());
    if (!proto.SerializeToZeroCopyStream(&stream) || !stream.Flush())
      throw Error(std::string("cannot be written: ") + std::strerror(stream.GetErrno()));
    file.close();
  } catch (const Error& error) {
    throw Error(error.message()).file(target);
  }
}

}  // namespace graft::inline v1::detail
