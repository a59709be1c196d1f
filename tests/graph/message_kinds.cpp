#include <set>
#include <string>

#include <catch2/catch.hpp>
#include <graft/graph/detail/message_kinds.hpp>
#include <graft/graph/onnx.hpp>

using namespace graft;
using detail::MessageKind;

namespace {

/// Compares a message type with what graft knows of it, and then the types of its fields.
void compare(const google::protobuf::Descriptor& type, MessageKind kind, std::set<std::string>& seen) {
  if (!seen.insert(type.full_name() + " " + std::to_string(static_cast<int>(kind))).second) return;
  const auto* const prototype = google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type);
  INFO(type.full_name());
  CHECK(detail::empty_size(kind) >= prototype->SpaceUsedLong());
  for (int i = 0; i < type.field_count(); ++i) {
    using Field = google::protobuf::FieldDescriptor;
    const Field& field = *type.field(i);
    INFO(field.full_name());
    const MessageKind inner = detail::kind_in(kind, field.number());
    REQUIRE((inner != MessageKind::none) == (field.message_type() != nullptr));
    if (field.message_type() != nullptr) compare(*field.message_type(), inner, seen);
    if (!field.is_repeated()) continue;
    const bool is_wide = field.cpp_type() == Field::CPPTYPE_INT64 || field.cpp_type() == Field::CPPTYPE_UINT64;
    const std::size_t growth = is_wide ? 8 : field.cpp_type() == Field::CPPTYPE_INT32 ? 4 : 1;
    CHECK(detail::growth_of(kind, field.number()) == growth);
  }
}

}  // namespace

TEST_CASE("the structure of ONNX's messages is that of the installed protos") {
  std::set<std::string> seen;
  compare(*onnx::ModelProto::descriptor(), MessageKind::model, seen);
  CHECK(seen.size() > 20);
}

TEST_CASE("fields that no message has hold no message") {
  for (const int field : {-1, 0, 2, 27, 1000}) CHECK(detail::kind_in(MessageKind::model, field) == MessageKind::none);
}
