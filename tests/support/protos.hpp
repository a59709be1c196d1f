#pragma once
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

/// Gives the message, and every message inside it, a field of a number that no version of ONNX has.
inline void add_unknown_fields(google::protobuf::Message& message) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  reflection.MutableUnknownFields(&message)->AddLengthDelimited(9999, "from the future");
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const google::protobuf::FieldDescriptor* const field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      add_unknown_fields(*reflection.MutableMessage(&message, field));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i)
      add_unknown_fields(*reflection.MutableRepeatedMessage(&message, field, i));
  }
}
