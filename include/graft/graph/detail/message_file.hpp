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
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/message.h>

#include <graft/graph/detail/file_descriptor.hpp>
#include <graft/graph/detail/nesting_limit.hpp>
#include <graft/graph/detail/parsed_memory.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/whole_file.hpp>

namespace graft::inline v1::detail {

inline constexpr std::size_t message_limit = file_limit;

/// Goes over the bytes of a model, without recursion: reads where messages begin and end, and skips the rest. Whether
/// it came to their end: it returns where they are no model. deeper(n): a message begins that is n deep in the model.
/// entry(key, value): of what a tensor says of external data.
template <class Deeper, class Entry>
bool walk_model(google::protobuf::io::ZeroCopyInputStream& stream, Deeper deeper, Entry entry) {
  enum Kind { model, training, graph, node, attribute, function, tensor, sparse, location };
  struct Child {
    Kind parent;
    int field;
    Kind kind;
  };
  constexpr Child children[] = {{model, 7, graph},       {model, 20, training},   {model, 25, function},
                                {training, 1, graph},    {training, 2, graph},    {function, 7, node},
                                {graph, 1, node},        {graph, 5, tensor},      {graph, 15, sparse},
                                {node, 5, attribute},    {attribute, 5, tensor},  {attribute, 6, graph},
                                {attribute, 10, tensor}, {attribute, 11, graph},  {attribute, 22, sparse},
                                {attribute, 23, sparse}, {sparse, 1, tensor},     {sparse, 2, tensor},
                                {tensor, 13, location}};
  struct Open {
    Kind kind;
    google::protobuf::io::CodedInputStream::Limit outer;
  };
  google::protobuf::io::CodedInputStream input(&stream);
  std::vector<Open> open{{model, 0}};
  std::string key, value;
  while (true) {
    if (open.size() > 1 && input.BytesUntilLimit() == 0) {
      if (open.back().kind == location) entry(key, value);
      input.PopLimit(open.back().outer);
      open.pop_back();
      continue;
    }
    const std::uint32_t tag = input.ReadTag();
    std::uint32_t size = 0;
    std::uint64_t number = 0;
    switch (tag & 7u) {
      case 0:
        if (tag == 0) return open.size() == 1 && input.ConsumedEntireMessage();
        if (!input.ReadVarint64(&number)) return false;
        break;
      case 1:
        if (!input.Skip(8)) return false;
        break;
      case 5:
        if (!input.Skip(4)) return false;
        break;
      case 2: {
        if (!input.ReadVarint32(&size) || size > message_limit) return false;
        const auto field = static_cast<int>(tag >> 3);
        const auto child = std::find_if(std::begin(children), std::end(children), [&](const Child& one) {
          return one.parent == open.back().kind && one.field == field;
        });
        if (child != std::end(children)) {
          open.push_back({child->kind, input.PushLimit(static_cast<int>(size))});
          deeper(open.size() - 1);
          if (child->kind == location) key = value = {};
        } else if (open.back().kind == location && (field == 1 || field == 2)) {
          if (!input.ReadString(field == 1 ? &key : &value, static_cast<int>(size))) return false;
        } else if (!input.Skip(static_cast<int>(size))) {
          return false;
        }
        break;
      }
      default: return false;
    }
  }
}

/// Throws Error if the bytes of a model hold bodies in bodies beyond nesting_limit.
inline void check_nesting(google::protobuf::io::ZeroCopyInputStream& stream) {
  const auto deeper = [](std::size_t depth) {
    if (depth <= nesting_limit) return;
    throw Error("nests bodies deeper than the " + std::to_string(nesting_limit / messages_per_graph) +
                " levels that protobuf reads");
  };
  walk_model(stream, deeper, [](const std::string&, const std::string&) {});
}

/// The files that the model there keeps tensors in, as it names them; nullopt if it is none, or has groups, which
/// walk_model() does not read.
inline std::optional<std::set<std::string>> data_locations(const std::string& model_file) {
  std::set<std::string> found;
  std::error_code failure;
  if (!std::filesystem::is_regular_file(model_file, failure)) return std::nullopt;
  const FileDescriptor file(model_file, O_RDONLY | O_CLOEXEC);
  google::protobuf::io::FileInputStream stream(file.get());
  const auto insert = [&](const std::string& key, const std::string& value) {
    if (key == "location") found.insert(value);
  };
  if (!walk_model(stream, [](std::size_t) {}, insert)) return std::nullopt;
  return found;
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
