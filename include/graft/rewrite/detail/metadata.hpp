#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/unknown_fields.hpp>
#include <graft/graph/onnx.hpp>

namespace graft::inline v1::detail {

/// The field number of NodeProto.metadata_props, new in IR version 10. Older ONNX definitions keep the field among the
/// unknown fields, in the same encoding.
inline constexpr int metadata_field = 9;

/// The value of a metadata key; "" if there is none.
template <class Node>
std::string metadata(const Node& node, std::string_view key) {
  if constexpr (requires { node.metadata_props(); }) {
    for (const auto& entry : node.metadata_props())
      if (entry.key() == key) return entry.value();
  } else {
    onnx::StringStringEntryProto entry;
    for (const std::string& bytes : unknown_texts(node, metadata_field))
      if (entry.ParseFromString(bytes) && entry.key() == key) return entry.value();
  }
  return "";
}

/// Sets a metadata key. A key has one entry: two would make the model invalid.
template <class Node>
void set_metadata(Node& node, std::string_view key, std::string_view value) {
  const auto set = [&](onnx::StringStringEntryProto& entry) {
    entry.set_key(std::string(key));
    entry.set_value(std::string(value));
  };
  if constexpr (requires { node.metadata_props(); }) {
    for (auto& entry : *node.mutable_metadata_props())
      if (entry.key() == key) return set(entry);
    set(*node.add_metadata_props());
  } else {
    onnx::StringStringEntryProto entry;
    const std::vector<std::string> entries = unknown_texts(node, metadata_field);
    std::size_t at = 0;
    while (at < entries.size() && !(entry.ParseFromString(entries[at]) && entry.key() == key)) ++at;
    if (at == entries.size()) entry.Clear();
    set(entry);
    set_unknown_text(node, metadata_field, at, entry.SerializeAsString());
  }
}

}  // namespace graft::inline v1::detail
