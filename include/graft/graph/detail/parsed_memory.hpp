#pragma once
// Estimates the memory of a parsed message from its bytes, without parsing: an empty submessage takes two bytes in a
// file, and over a hundred in memory.
#include <cstddef>
#include <vector>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>

#include <graft/graph/detail/message_kinds.hpp>
#include <graft/graph/detail/message_walk.hpp>
#include <graft/graph/detail/nesting_limit.hpp>

namespace graft::inline v1::detail {

/// The greatest growth of a byte: two bytes may hold an empty submessage, and no message of ONNX has over 512 bytes.
inline constexpr std::size_t max_growth_of_parsing = 256;

/// Counts the memory of a message of this kind up to a limit. A text takes 32 bytes beside its characters.
class ParsedMemory {
 public:
  ParsedMemory(MessageKind kind, std::size_t most) : max_(most), open_{kind} {}

  bool is_within() const { return taken_ <= max_; }

  // The interface for walk_message().
  bool is_done() const { return !is_within() || is_too_deep_; }
  void number() { taken_ += 8; }
  bool enter(int field) {
    const MessageKind kind = kind_in(open_.back(), field);
    if (kind == MessageKind::none) return false;
    is_too_deep_ = open_.size() > nesting_limit;
    if (is_too_deep_) return true;
    open_.push_back(kind);
    taken_ += empty_size(kind) + sizeof(void*);
    return true;
  }
  void leave() { open_.pop_back(); }
  bool bytes(google::protobuf::io::CodedInputStream& input, int field, int size) {
    if (!input.Skip(size)) return false;
    taken_ += 32 + growth_of(open_.back(), field) * static_cast<std::size_t>(size);
    return true;
  }

 private:
  std::size_t max_, taken_ = 0;
  bool is_too_deep_ = false;
  std::vector<MessageKind> open_;
};

/// Whether the message takes at most `most` bytes in memory. If the bytes are not a message, the part before the fault
/// counts.
inline bool fits_in_memory(google::protobuf::io::ZeroCopyInputStream& stream, MessageKind kind, std::size_t most) {
  ParsedMemory memory(kind, most);
  walk_message(stream, memory);
  return memory.is_within();
}

}  // namespace graft::inline v1::detail
