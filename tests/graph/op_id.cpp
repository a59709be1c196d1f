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

TEST_CASE("who looks an operator up adds none") {
  OpTable table;
  CHECK(table.find("", "Conv") == OpId::none);
  const OpId conv = table.intern("", "Conv");
  const OpId own = table.intern("own", "Cast");  // among the recent ones in the place of Conv
  CHECK(table.find("ai.onnx", "Conv") == conv);
  CHECK(table.find("own", "Cast") == own);
  CHECK(table.find("own", "Conv") == OpId::none);
  CHECK(table.size() == 2);
}

TEST_CASE("a qualified name is taken apart at its last colons") {
  CHECK(OpName::parse("Conv").domain.empty());
  CHECK(OpName::parse("com.microsoft::Gelu").domain == "com.microsoft");
  CHECK(OpName::parse("com.microsoft::Gelu").op_type == "Gelu");
  CHECK(OpName::parse("ai.onnx::Conv").domain.empty());
}
