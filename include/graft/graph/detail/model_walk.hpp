#pragma once
// Reads facts from the bytes of a model without parsing them.
#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <graft/graph/detail/file_descriptor.hpp>
#include <graft/graph/detail/file_streams.hpp>
#include <graft/graph/detail/message_kinds.hpp>
#include <graft/graph/detail/message_walk.hpp>
#include <graft/graph/detail/nesting_limit.hpp>
#include <graft/graph/detail/paths.hpp>
#include <graft/graph/detail/platform.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

/// Visits the bytes of a model. Calls deeper(n) for each message at depth n, and entry(key, value) for each
/// external_data entry of a tensor.
template <class Deeper, class Entry>
class ModelWalk {
 public:
  ModelWalk(Deeper deeper, Entry entry) : deeper_(deeper), entry_(entry) {}

  // The interface for walk_message().
  bool is_done() const { return false; }
  void number() {}
  bool enter(int field) {
    const MessageKind kind = kind_in(open_.back(), field);
    if (kind == MessageKind::none || kind > MessageKind::location) return false;
    deeper_(open_.size());
    open_.push_back(kind);
    if (kind == MessageKind::location) key_ = value_ = {};
    return true;
  }
  void leave() {
    if (open_.back() == MessageKind::location) entry_(key_, value_);
    open_.pop_back();
  }
  bool bytes(google::protobuf::io::CodedInputStream& input, int field, int size) {
    if (open_.back() != MessageKind::location || field < 1 || field > 2) return input.Skip(size);
    return input.ReadString(field == 1 ? &key_ : &value_, size);
  }

 private:
  Deeper deeper_;
  Entry entry_;
  std::vector<MessageKind> open_{MessageKind::model};
  std::string key_, value_;
};

/// Throws Error if the messages in the bytes of a model are nested deeper than nesting_limit.
inline void check_nesting(google::protobuf::io::ZeroCopyInputStream& stream) {
  const auto deeper = [](std::size_t depth) {
    if (depth <= nesting_limit) return;
    throw Error("nests bodies deeper than the " + std::to_string(nesting_limit / messages_per_graph) +
                " levels that protobuf reads");
  };
  ModelWalk walk(deeper, [](const std::string&, const std::string&) {});
  walk_message(stream, walk);
}

/// The locations of external data in a model file. nullopt if the file is not a model, or has groups, which
/// walk_message() does not read.
inline std::optional<std::set<std::string>> data_locations(const std::string& model_file) {
  std::set<std::string> found;
  std::error_code failure;
  if (!std::filesystem::is_regular_file(platform::path_of(model_file), failure)) return std::nullopt;
  const FileDescriptor file(model_file, platform::Opening::read);
  FileReader reader(file);
  google::protobuf::io::CopyingInputStreamAdaptor stream(&reader);
  const auto insert = [&](const std::string& key, const std::string& value) {
    if (key == "location") found.insert(value);
  };
  ModelWalk walk([](std::size_t) {}, insert);
  if (!walk_message(stream, walk)) return std::nullopt;
  return found;
}

}  // namespace graft::inline v1::detail
