#include <graft/pattern/attribute_words.hpp>

#include <catch2/catch.hpp>

using namespace graft;
using graft::detail::attribute_kind;
using graft::detail::declared_type;
using graft::detail::with_article;

TEST_CASE("types of attributes in words") {
  CHECK(with_article(onnx::AttributeProto::INT) == "an int");
  CHECK(with_article(onnx::AttributeProto::FLOAT) == "a float");
  CHECK(with_article(schema::AttributeType::ints) == "a list of ints");
  CHECK(attribute_kind(Kind::axis) == onnx::AttributeProto::INT);
  CHECK(declared_type(onnx::AttributeProto::FLOATS) == "Floats");
}
