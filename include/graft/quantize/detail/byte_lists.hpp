#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <graft/graph/error.hpp>

namespace graft::inline v1::detail {

/// Appends a list of numbers, with its length, to a message for another rank. A list is a string, vector or span.
template <class List>
void append_list(std::string& bytes, const List& list) {
  const std::uint64_t size = list.size();
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  if (size != 0) bytes.append(reinterpret_cast<const char*>(list.data()), size * sizeof(*list.data()));
}

/// Reads the first list of a message, and removes it. Throws Error if there is none.
template <class List>
List take_list(std::string_view& bytes) {
  const auto take = [&](void* to, std::size_t size) {
    if (size > bytes.size()) throw Error("the message of another rank cannot be read");
    if (size != 0) std::memcpy(to, bytes.data(), size);
    bytes.remove_prefix(size);
  };
  std::uint64_t size = 0;
  take(&size, sizeof size);
  constexpr std::size_t width = sizeof(typename List::value_type);
  if (size > bytes.size() / width) throw Error("the message of another rank cannot be read");
  List list;
  list.resize(size);
  take(list.data(), size * width);
  return list;
}

}  // namespace graft::inline v1::detail
