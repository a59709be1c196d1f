#include <graft/graph/newer_field.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

/// Puts a field into a message as a file has it, whether the installed protos know it or not.
template <class M>
M with_field(M message, char number, const std::string& contents) {
  std::string bytes = message.SerializeAsString();
  bytes += static_cast<char>(number << 3 | 2);
  bytes += static_cast<char>(contents.size());
  bytes += contents;
  REQUIRE(message.ParseFromString(bytes));
  return message;
}

}  // namespace

TEST_CASE("overloads are read, known to the installed protos or not") {
  CHECK(overload_of(onnx::NodeProto()).empty());
  CHECK(overload_of(with_field(onnx::NodeProto(), 8, "wide")) == "wide");
  CHECK(overload_of(onnx::FunctionProto()).empty());
  CHECK(overload_of(with_field(onnx::FunctionProto(), 13, "wide")) == "wide");
}

TEST_CASE("attributes with a default are read in their order, known to the installed protos or not") {
  onnx::FunctionProto function;
  onnx::AttributeProto attribute;
  for (const char* const name : {"a", "b"}) {
    attribute.set_name(name);
    function = with_field(function, 11, attribute.SerializeAsString());
  }
  const std::vector<onnx::AttributeProto> read = attribute_protos_of(function);
  REQUIRE(read.size() == 2);
  CHECK(read[0].name() == "a");
  CHECK(read[1].name() == "b");
  CHECK(attribute_protos_of(onnx::FunctionProto()).empty());
}
