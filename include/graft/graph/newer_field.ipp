#pragma once
#include <graft/graph/newer_field.hpp>

#include <graft/config.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::vector<std::string> newer_field(const google::protobuf::Message& message, const char* name,
                                                  int number) {
  using google::protobuf::UnknownField;
  const google::protobuf::Reflection& access = *message.GetReflection();
  std::vector<std::string> values;
  if (const auto* const field = message.GetDescriptor()->FindFieldByName(name)) {
    if (!field->is_repeated()) values.push_back(access.GetString(message, field));
    for (int i = 0; field->is_repeated() && i < access.FieldSize(message, field); ++i)
      values.push_back(access.GetRepeatedMessage(message, field, i).SerializeAsString());
    return values;
  }
  const google::protobuf::UnknownFieldSet& fields = access.GetUnknownFields(message);
  for (int i = 0; i < fields.field_count(); ++i)
    if (fields.field(i).number() == number && fields.field(i).type() == UnknownField::TYPE_LENGTH_DELIMITED)
      values.push_back(fields.field(i).length_delimited());
  return values;
}

GRAFT_INLINE std::string overload_of(const onnx::NodeProto& call) {
  const std::vector<std::string> given = newer_field(call, "overload", 8);
  return given.empty() ? std::string() : given.back();
}

GRAFT_INLINE std::string overload_of(const onnx::FunctionProto& function) {
  const std::vector<std::string> given = newer_field(function, "overload", 13);
  return given.empty() ? std::string() : given.back();
}

}  // namespace graft::inline v1
