#pragma once
// Estimates the memory of a parsed message from its bytes, without parsing: an empty submessage takes two bytes in a
// file, and over a hundred in memory.
#include <cstddef>
#include <unordered_map>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/message.h>

#include <graft/graph/detail/message_walk.hpp>
#include <graft/graph/detail/nesting_limit.hpp>

namespace graft::inline v1::detail {

/// The greatest growth of a byte: two bytes may hold an empty submessage, and no message of ONNX has over 512 bytes.
inline constexpr std::size_t max_growth_of_parsing = 256;

/// The memory of a message type.
struct MessageSize {
  std::size_t empty = 0;                                                       // bytes, including the pointer to it
  std::unordered_map<int, const google::protobuf::FieldDescriptor*> fields{};  // by number
};

/// The memory of all message types in a file, computed once for each type.
class MessageSizes {
 public:
  const MessageSize& of(const google::protobuf::Descriptor& type) {
    const auto [found, is_new] = sizes_.try_emplace(&type);
    if (!is_new) return found->second;
    const auto* const prototype = google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type);
    found->second.empty = prototype->SpaceUsedLong() + sizeof(void*);
    for (int i = 0; i < type.field_count(); ++i) found->second.fields.emplace(type.field(i)->number(), type.field(i));
    return found->second;
  }

 private:
  std::unordered_map<const google::protobuf::Descriptor*, MessageSize> sizes_;
};

/// The greatest number of bytes in memory for one byte of text or packed numbers in the file.
inline std::size_t growth_of(const google::protobuf::FieldDescriptor* field) {
  using Field = google::protobuf::FieldDescriptor;
  switch (field == nullptr ? Field::CPPTYPE_STRING : field->cpp_type()) {
    case Field::CPPTYPE_INT64:
    case Field::CPPTYPE_UINT64: return 8;
    case Field::CPPTYPE_INT32:
    case Field::CPPTYPE_UINT32:
    case Field::CPPTYPE_ENUM: return 4;
    default: return 1;
  }
}

/// Counts the memory of a message of this type up to a limit. A text takes 32 bytes beside its characters.
class ParsedMemory {
 public:
  ParsedMemory(const google::protobuf::Descriptor& type, std::size_t most) : max_(most), open_{&sizes_.of(type)} {}

  bool is_within() const { return taken_ <= max_; }

  // The interface for walk_message().
  bool is_done() const { return !is_within() || is_too_deep_; }
  void number() { taken_ += 8; }
  bool enter(int number) {
    const google::protobuf::FieldDescriptor* const given = field(number);
    if (given == nullptr || given->message_type() == nullptr) return false;
    is_too_deep_ = open_.size() > nesting_limit;
    if (is_too_deep_) return true;
    open_.push_back(&sizes_.of(*given->message_type()));
    taken_ += open_.back()->empty;
    return true;
  }
  void leave() { open_.pop_back(); }
  bool bytes(google::protobuf::io::CodedInputStream& input, int number, int size) {
    if (!input.Skip(size)) return false;
    taken_ += 32 + growth_of(field(number)) * static_cast<std::size_t>(size);
    return true;
  }

 private:
  const google::protobuf::FieldDescriptor* field(int number) const {
    const auto found = open_.back()->fields.find(number);
    return found == open_.back()->fields.end() ? nullptr : found->second;
  }

  std::size_t max_, taken_ = 0;
  bool is_too_deep_ = false;
  MessageSizes sizes_;
  std::vector<const MessageSize*> open_;
};

/// Whether the message takes at most `most` bytes in memory. If the bytes are not a message, the part before the fault
/// counts.
inline bool fits_in_memory(google::protobuf::io::ZeroCopyInputStream& stream, const google::protobuf::Message& message,
                           std::size_t most) {
  ParsedMemory memory(*message.GetDescriptor(), most);
  walk_message(stream, memory);
  return memory.is_within();
}

}  // namespace graft::inline v1::detail
