#pragma once
#include <cstdint>
#include <vector>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>

#include <graft/graph/whole_file.hpp>

namespace graft::inline v1::detail {

/// Walks the bytes of a message and its submessages (protobuf, Encoding), without parsing and without recursion.
/// Returns whether it reached the end. It stops if the bytes are not a message, contain a group or exceed file_limit,
/// or if the visitor is done. The visitor has
///   is_done()                  whether it has seen enough;
///   number()                   for a field with a number;
///   enter(field)               for a field with bytes: returns whether they are a message to enter;
///   leave()                    at the end of that message;
///   bytes(input, field, size)  for other bytes: skips or reads them, and returns whether they were there.
template <class Visitor>
bool walk_message(google::protobuf::io::ZeroCopyInputStream& stream, Visitor& visitor) {
  google::protobuf::io::CodedInputStream input(&stream);
  std::vector<google::protobuf::io::CodedInputStream::Limit> outer;  // the ends of the enclosing messages
  while (!visitor.is_done()) {
    if (!outer.empty() && input.BytesUntilLimit() == 0) {
      visitor.leave();
      input.PopLimit(outer.back());
      outer.pop_back();
      continue;
    }
    const std::uint32_t tag = input.ReadTag();
    if (tag == 0) return outer.empty() && input.ConsumedEntireMessage();
    const auto field = static_cast<int>(tag >> 3);
    std::uint32_t size = 0;
    std::uint64_t number = 0;
    switch (tag & 7u) {
      case 0:
        if (!input.ReadVarint64(&number)) return false;
        visitor.number();
        break;
      case 1:
        if (!input.Skip(8)) return false;
        visitor.number();
        break;
      case 5:
        if (!input.Skip(4)) return false;
        visitor.number();
        break;
      case 2:
        if (!input.ReadVarint32(&size) || size > file_limit) return false;
        if (visitor.enter(field)) outer.push_back(input.PushLimit(static_cast<int>(size)));
        else if (!visitor.bytes(input, field, static_cast<int>(size))) return false;
        break;
      default: return false;
    }
  }
  return false;
}

}  // namespace graft::inline v1::detail
