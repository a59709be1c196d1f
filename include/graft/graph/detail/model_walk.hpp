#pragma once
// Reads facts from the bytes of a model without parsing them.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <graft/graph/detail/file_descriptor.hpp>
#include <graft/graph/detail/message_walk.hpp>
#include <graft/graph/detail/nesting_limit.hpp>
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
    const auto child = std::find_if(std::begin(children), std::end(children), [&](const Child& one) {
      return one.parent == open_.back() && one.field == field;
    });
    if (child == std::end(children)) return false;
    deeper_(open_.size());
    open_.push_back(child->kind);
    if (child->kind == location) key_ = value_ = {};
    return true;
  }
  void leave() {
    if (open_.back() == location) entry_(key_, value_);
    open_.pop_back();
  }
  bool bytes(google::protobuf::io::CodedInputStream& input, int field, int size) {
    if (open_.back() != location || field < 1 || field > 2) return input.Skip(size);
    return input.ReadString(field == 1 ? &key_ : &value_, size);
  }

 private:
  enum Kind { model, training, graph, node, attribute, function, tensor, sparse, location };
  struct Child {
    Kind parent;
    int field;
    Kind kind;
  };
  static constexpr Child children[] = {
      {model, 7, graph},       {model, 20, training},   {model, 25, function},  {training, 1, graph},
      {training, 2, graph},    {function, 7, node},     {graph, 1, node},       {graph, 5, tensor},
      {graph, 15, sparse},     {node, 5, attribute},    {attribute, 5, tensor}, {attribute, 6, graph},
      {attribute, 10, tensor}, {attribute, 11, graph},  {attribute, 22, sparse}, {attribute, 23, sparse},
      {sparse, 1, tensor},     {sparse, 2, tensor},     {tensor, 13, location}};

  Deeper deeper_;
  Entry entry_;
  std::vector<Kind> open_{model};
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
  if (!std::filesystem::is_regular_file(model_file, failure)) return std::nullopt;
  const FileDescriptor file(model_file, O_RDONLY | O_CLOEXEC);
  google::protobuf::io::FileInputStream stream(file.get());
  const auto insert = [&](const std::string& key, const std::string& value) {
    if (key == "location") found.insert(value);
  };
  ModelWalk walk([](std::size_t) {}, insert);
  if (!walk_message(stream, walk)) return std::nullopt;
  return found;
}

}  // namespace graft::inline v1::detail
