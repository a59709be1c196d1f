#include <graft/graph/op_id.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("an operator has one id, whichever way its domain is spelt") {
  OpTable table;
  const OpId conv = table.intern("", "Conv");
  CHECK(table.intern("ai.onnx", "Conv") == conv);
  CHECK(table.intern("com.microsoft", "Conv") != conv);
  CHECK(table.intern("", "Clip") != conv);
  CHECK(table.intern("", "Conv") == conv);
  CHECK(table.name(conv).op_type == "Conv");
  CHECK(table.size() == 3);
}

TEST_CASE("a qualified name is taken apart at its last colons") {
  CHECK(OpName::parse("Conv").domain.empty());
  CHECK(OpName::parse("com.microsoft::Gelu").domain == "com.microsoft");
  CHECK(OpName::parse("com.microsoft::Gelu").op_type == "Gelu");
  CHECK(OpName::parse("ai.onnx::Conv").domain.empty());
}
