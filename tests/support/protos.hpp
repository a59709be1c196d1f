#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <graft/graph/onnx.hpp>

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

/// Sets a field that the installed protos may not know. Where they do, it becomes what it is.
inline void set_newer(google::protobuf::Message& message, int number, const std::string& value) {
  message.GetReflection()->MutableUnknownFields(&message)->AddLengthDelimited(number, value);
  if (!message.ParseFromString(message.SerializeAsString())) throw std::runtime_error("another field has the number");
}

/// The tensor says that its data is in that file.
inline void make_external(onnx::TensorProto& tensor, const std::string& location) {
  tensor.clear_raw_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  onnx::StringStringEntryProto& entry = *tensor.add_external_data();
  entry.set_key("location");
  entry.set_value(location);
}
