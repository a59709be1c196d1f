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

TEST_CASE("of fields that are known, and of those that are not, all values are read in their order") {
  onnx::FunctionProto function;
  onnx::AttributeProto attribute;
  for (const char* const name : {"a", "b"}) {
    attribute.set_name(name);
    function = with_field(function, 11, attribute.SerializeAsString());
  }
  const std::vector<std::string> read = newer_field(function, "attribute_proto", 11);
  REQUIRE(read.size() == 2);
  REQUIRE(attribute.ParseFromString(read[1]));
  CHECK(attribute.name() == "b");
  function.set_doc_string("text");
  CHECK(newer_field(function, "doc_string", 8) == std::vector<std::string>{"text"});
  CHECK(newer_field(function, "no_such_field", 99).empty());
}
