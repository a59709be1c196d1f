#pragma once
#include <string>
#include <string_view>

#include <google/protobuf/unknown_field_set.h>

#include <graft/graph/onnx.hpp>

namespace graft::inline v1::detail {

/// The field number of NodeProto.metadata_props, new in IR version 10. Older ONNX definitions keep the field among the
/// unknown fields, in the same encoding.
inline constexpr int metadata_field = 9;

inline std::string metadata_entry(std::string_view key, std::string_view value) {
  onnx::StringStringEntryProto entry;
  entry.set_key(std::string(key));
  entry.set_value(std::string(value));
  return entry.SerializeAsString();
}

/// Calls f(entry) for each serialized metadata entry until it returns true. Returns whether it did.
template <class F>
bool find_metadata(const onnx::NodeProto& node, F&& f) {
  if (const auto* const field = node.GetDescriptor()->FindFieldByNumber(metadata_field)) {
    const auto& reflection = *node.GetReflection();
    for (int i = 0; i < reflection.FieldSize(node, field); ++i)
      if (f(reflection.GetRepeatedMessage(node, field, i).SerializeAsString(), i)) return true;
    return false;
  }
  const auto& unknown = node.unknown_fields();
  for (int i = 0; i < unknown.field_count(); ++i) {
    const google::protobuf::UnknownField& field = unknown.field(i);
    const bool is_message = field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED;
    if (field.number() != metadata_field || !is_message) continue;
    if (f(field.length_delimited(), i)) return true;
  }
  return false;
}

/// The value of a metadata key; "" if there is none.
inline std::string metadata(const onnx::NodeProto& node, std::string_view key) {
  onnx::StringStringEntryProto entry;
  const bool found = find_metadata(node, [&](const std::string& bytes, int) {
    return entry.ParseFromString(bytes) && entry.key() == key;
  });
  return found ? entry.value() : "";
}

/// Sets a metadata key. A key has one entry: two would make the model invalid.
inline void set_metadata(onnx::NodeProto& node, std::string_view key, std::string_view value) {
  int at = -1;
  find_metadata(node, [&](const std::string& bytes, int i) {
    onnx::StringStringEntryProto entry;
    if (entry.ParseFromString(bytes) && entry.key() == key) at = i;
    return at >= 0;
  });
  const std::string bytes = metadata_entry(key, value);
  if (const auto* const field = node.GetDescriptor()->FindFieldByNumber(metadata_field)) {
    const auto& reflection = *node.GetReflection();
    auto* const entry =
        at < 0 ? reflection.AddMessage(&node, field) : reflection.MutableRepeatedMessage(&node, field, at);
    entry->ParseFromString(bytes);
    return;
  }
  auto& unknown = *node.mutable_unknown_fields();
  if (at < 0) {
    unknown.AddLengthDelimited(metadata_field, bytes);
  } else {
    unknown.mutable_field(at)->set_length_delimited(bytes);
  }
}

}  // namespace graft::inline v1::detail
