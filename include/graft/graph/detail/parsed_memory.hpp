#pragma once
// How much memory the bytes of a message take once they are parsed, found without parsing them: an empty submessage
// takes two bytes in a file, and over a hundred in memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/message.h>

#include <graft/graph/detail/nesting_limit.hpp>

namespace graft::inline v1::detail {

/// No byte of a file grows to more: two of them are an empty submessage, and none of ONNX has over 512 bytes.
inline constexpr std::size_t most_growth_of_parsing = 256;

/// A type of messages as memory sees it.
struct MessageSize {
  std::size_t empty = 0;                                                       // bytes, with the pointer to it
  std::unordered_map<int, const google::protobuf::FieldDescriptor*> fields{};  // by number
};

/// Of the types of messages that a file may hold, each looked at once.
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

/// The bytes in memory that one byte in the file grows to at most, of text and of packed numbers.
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

/// Whether the message that the bytes hold takes at most so much memory. Of bytes that are no message it says how much
/// those before the fault take. A text takes 32 bytes beside its own.
inline bool fits_in_memory(google::protobuf::io::ZeroCopyInputStream& stream, const google::protobuf::Message& message,
                           std::size_t most) {
  struct Open {
    const MessageSize* size;
    google::protobuf::io::CodedInputStream::Limit outer;
  };
  google::protobuf::io::CodedInputStream input(&stream);
  MessageSizes sizes;
  std::vector<Open> open{{&sizes.of(*message.GetDescriptor()), 0}};
  std::size_t taken = 0;
  while (taken <= most) {
    if (open.size() > 1 && input.BytesUntilLimit() == 0) {
      input.PopLimit(open.back().outer);
      open.pop_back();
      continue;
    }
    const std::uint32_t tag = input.ReadTag();
    std::uint32_t length = 0;
    std::uint64_t number = 0;
    switch (tag & 7u) {
      case 0:
        if (tag == 0 || !input.ReadVarint64(&number)) return true;
        taken += 8;
        break;
      case 1:
        if (!input.Skip(8)) return true;
        taken += 8;
        break;
      case 5:
        if (!input.Skip(4)) return true;
        taken += 8;
        break;
      case 2: {
        if (!input.ReadVarint32(&length)) return true;
        const auto found = open.back().size->fields.find(static_cast<int>(tag >> 3));
        const auto* const field = found == open.back().size->fields.end() ? nullptr : found->second;
        const int size = static_cast<int>(std::min<std::uint32_t>(length, std::numeric_limits<int>::max()));
        if (field == nullptr || field->message_type() == nullptr) {
          if (!input.Skip(size)) return true;
          taken += 32 + growth_of(field) * length;
          break;
        }
        if (open.size() > nesting_limit) return true;
        const MessageSize& part = sizes.of(*field->message_type());
        taken += part.empty;
        open.push_back({&part, input.PushLimit(size)});
        break;
      }
      default: return true;
    }
  }
  return false;
}

}  // namespace graft::inline v1::detail
