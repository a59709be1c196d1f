#pragma once
#include <cstdint>
#include <vector>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>

#include <graft/graph/whole_file.hpp>

namespace graft::inline v1::detail {

/// Goes over the bytes of a message and of those in it (protobuf, Encoding), without parsing them, without recursion.
/// Returns whether it came to their end: it stops where they are no message, hold a group or are over file_limit long,
/// and where the visitor wants no more. The visitor has
///   is_done()                  whether it has seen enough;
///   number()                   a field is a number;
///   enter(field)               a field holds bytes: whether they are a message to go into;
///   leave()                    that message ends;
///   bytes(input, field, size)  others: skips or reads them, and returns whether they were there.
template <class Visitor>
bool walk_message(google::protobuf::io::ZeroCopyInputStream& stream, Visitor& visitor) {
  google::protobuf::io::CodedInputStream input(&stream);
  std::vector<google::protobuf::io::CodedInputStream::Limit> outer;  // of the messages around the one at hand
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
