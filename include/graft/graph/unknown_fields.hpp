#pragma once
// Fields that the installed protos do not define. protobuf keeps them as objects, its lite runtime as bytes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include <graft/graph/onnx.hpp>

namespace graft::inline v1 {

/// Whether protobuf's lite runtime has the message.
template <class Message>
inline constexpr bool is_lite = !std::is_base_of_v<google::protobuf::Message, Message>;

namespace detail {

/// Where a text or a message is in the bytes of unknown fields.
struct UnknownText {
  int number;
  std::size_t begin, content, end;  // the tag begins, the text begins, it ends
};

/// The texts and messages among the bytes of unknown fields.
inline std::vector<UnknownText> unknown_texts_in(std::string_view bytes) {
  using google::protobuf::internal::WireFormatLite;
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                            static_cast<int>(bytes.size()));
  const auto position = [&] { return static_cast<std::size_t>(in.CurrentPosition()); };
  std::vector<UnknownText> texts;
  for (;;) {
    const std::size_t begin = position();
    const std::uint32_t tag = in.ReadTag();
    if (tag == 0) return texts;
    std::size_t content = 0;
    if (WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      std::uint32_t size = 0;
      if (!in.ReadVarint32(&size)) return texts;
      content = position();
      if (!in.Skip(static_cast<int>(size))) return texts;
      texts.push_back({WireFormatLite::GetTagFieldNumber(tag), begin, content, position()});
    } else if (!WireFormatLite::SkipField(&in, tag)) {
      return texts;
    }
  }
}

}  // namespace detail

/// The texts or serialized messages in an unknown field, in their order.
template <class Message>
std::vector<std::string> unknown_texts(const Message& message, int number) {
  std::vector<std::string> found;
  const auto& fields = message.unknown_fields();
  if (fields.empty()) return found;
  if constexpr (is_lite<Message>) {
    for (const detail::UnknownText& text : detail::unknown_texts_in(fields))
      if (text.number == number) found.push_back(fields.substr(text.content, text.end - text.content));
  } else {
    for (int i = 0; i < fields.field_count(); ++i) {
      const auto& field = fields.field(i);
      if (field.number() == number && field.type() == field.TYPE_LENGTH_DELIMITED)
        found.emplace_back(field.length_delimited());
    }
  }
  return found;
}

/// Sets the i-th text of an unknown field, or adds one if there are only i.
template <class Message>
void set_unknown_text(Message& message, int number, std::size_t i, const std::string& content) {
  auto& fields = *message.mutable_unknown_fields();
  if constexpr (is_lite<Message>) {
    using google::protobuf::internal::WireFormatLite;
    std::string encoded;
    {
      google::protobuf::io::StringOutputStream stream(&encoded);
      google::protobuf::io::CodedOutputStream out(&stream);
      out.WriteTag(WireFormatLite::MakeTag(number, WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
      out.WriteVarint32(static_cast<std::uint32_t>(content.size()));
      out.WriteString(content);
    }
    for (const detail::UnknownText& text : detail::unknown_texts_in(fields)) {
      if (text.number != number || i-- != 0) continue;
      fields.replace(text.begin, text.end - text.begin, encoded);
      return;
    }
    fields += encoded;
  } else {
    for (int at = 0; at < fields.field_count(); ++at) {
      auto& field = *fields.mutable_field(at);
      if (field.number() != number || field.type() != field.TYPE_LENGTH_DELIMITED || i-- != 0) continue;
      field.set_length_delimited(content);
      return;
    }
    fields.AddLengthDelimited(number, content);
  }
}

/// Adds the unknown fields of one message to those of another.
template <class Message>
void add_unknown_fields(const Message& from, Message& to) {
  if (from.unknown_fields().empty()) return;
  if constexpr (is_lite<Message>) {
    *to.mutable_unknown_fields() += from.unknown_fields();
  } else {
    to.mutable_unknown_fields()->MergeFrom(from.unknown_fields());
  }
}

}  // namespace graft::inline v1
