#pragma once
// Reads and writes protobuf messages in files without a second copy in memory.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message_lite.h>

#include <graft/graph/detail/file_descriptor.hpp>
#include <graft/graph/detail/file_streams.hpp>
#include <graft/graph/detail/message_kinds.hpp>
#include <graft/graph/detail/model_walk.hpp>
#include <graft/graph/detail/parsed_memory.hpp>
#include <graft/graph/detail/paths.hpp>
#include <graft/graph/detail/platform.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/whole_file.hpp>

namespace graft::inline v1::detail {

struct MessageLimits {
  std::size_t max_bytes = file_limit;
  std::size_t max_memory = std::numeric_limits<std::size_t>::max();
};

/// Reads a message of this kind, which users call "model", say. Throws Error naming the file if it cannot be read,
/// holds no such message, or exceeds the limits. If it is too large for protobuf, the error includes the advice.
inline void read_message(const std::string& path, google::protobuf::MessageLite& proto, MessageKind kind,
                         const std::string& what, const MessageLimits& limits, const std::string& advice = {}) {
  std::error_code failure;
  const std::filesystem::path place = platform::path_of(path);
  if (std::filesystem::is_directory(place, failure)) throw Error("is a folder, not a " + what).file(path);
  const FileDescriptor file(path, platform::Opening::read);
  const auto size = std::filesystem::file_size(place, failure);
  if (!failure && size == 0) throw Error("is empty").file(path);
  if (!failure && size > file_limit) throw Error("is over 2 GiB: protobuf cannot read it" + advice).file(path);
  const std::size_t max_bytes = std::min(limits.max_bytes, file_limit);
  if (!failure && size > max_bytes)
    throw Error("has " + std::to_string(size) + " bytes, the limit is " + std::to_string(max_bytes)).file(path);
  if (!failure && size > limits.max_memory / max_growth_of_parsing) {
    FileReader reader(file);
    google::protobuf::io::CopyingInputStreamAdaptor bytes(&reader);
    if (!fits_in_memory(bytes, kind, limits.max_memory))
      throw Error("would take over " + std::to_string(limits.max_memory) + " bytes of memory").file(path);
    if (!platform::rewind(file.get())) throw Error(std::strerror(errno)).file(path);
  }
  FileReader reader(file);
  google::protobuf::io::CopyingInputStreamAdaptor stream(&reader);
  // A file that is not regular has no size: it is read up to the limit.
  google::protobuf::io::LimitingInputStream limited(&stream, static_cast<std::int64_t>(max_bytes));
  if (proto.ParseFromZeroCopyStream(&limited)) return;
  try {
    const FileDescriptor again(path, platform::Opening::read);
    FileReader all(again);
    google::protobuf::io::CopyingInputStreamAdaptor bytes(&all);
    check_nesting(bytes);
  } catch (Error& error) {
    throw error.file(path);
  }
  throw Error("is not an ONNX " + what + ", or a truncated one").file(path);
}

/// Writes a message to the temporary file. Errors name the target.
inline void write_message(const google::protobuf::MessageLite& proto, const std::string& aside,
                          const std::string& target) {
  try {
    FileDescriptor file(aside, platform::Opening::write);
    FileWriter writer(file);
    google::protobuf::io::CopyingOutputStreamAdaptor stream(&writer);
    if (!proto.SerializeToZeroCopyStream(&stream) || !stream.Flush())
      throw Error(std::string("cannot be written: ") + std::strerror(writer.error()));
    file.close();
  } catch (const Error& error) {
    throw Error(error.message()).file(target);
  }
}

}  // namespace graft::inline v1::detail
