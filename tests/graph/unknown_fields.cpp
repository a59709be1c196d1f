#include <graft/graph/unknown_fields.hpp>

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

using Texts = std::vector<std::string>;

/// A stand-in for a message of protobuf's lite runtime, which keeps unknown fields as bytes.
class LiteMessage {
 public:
  explicit LiteMessage(std::string fields = {}) : fields_(std::move(fields)) {}
  const std::string& unknown_fields() const { return fields_; }
  std::string* mutable_unknown_fields() { return &fields_; }

 private:
  std::string fields_;
};

/// The unknown fields of a node, as bytes.
std::string bytes_of(const onnx::NodeProto& node) { return node.SerializeAsString(); }

}  // namespace

TEST_CASE("the lite runtime's bytes and the objects of the full one are read and set alike") {
  static_assert(is_lite<LiteMessage> && !is_lite<onnx::NodeProto>);
  // A number, a text, a group with a text, 8 bytes, two texts, 4 bytes.
  const std::string before(
      "\xc0\x3e\x07"
      "\xca\x3e\x01"
      "a"
      "\xd3\x3e\xca\x3e\x01"
      "x"
      "\xd4\x3e"
      "\xc1\x3e"
      "12345678"
      "\xca\x3e\x00"
      "\xca\x3e\x02"
      "bc"
      "\xc5\x3e"
      "1234",
      39);
  onnx::NodeProto node;
  REQUIRE(node.ParseFromString(before));
  LiteMessage lite(before);
  CHECK(unknown_texts(node, 1001) == Texts{"a", "", "bc"});
  CHECK(unknown_texts(lite, 1001) == Texts{"a", "", "bc"});
  CHECK(unknown_texts(node, 1000).empty());
  CHECK(unknown_texts(lite, 1000).empty());

  set_unknown_text(node, 1001, 1, "longer");
  set_unknown_text(lite, 1001, 1, "longer");
  CHECK(unknown_texts(lite, 1001) == Texts{"a", "longer", "bc"});
  CHECK(lite.unknown_fields() == bytes_of(node));

  set_unknown_text(node, 1001, 3, "last");
  set_unknown_text(lite, 1001, 3, "last");
  CHECK(unknown_texts(lite, 1001) == Texts{"a", "longer", "bc", "last"});
  CHECK(lite.unknown_fields() == bytes_of(node));

  onnx::NodeProto other;
  LiteMessage other_lite("\xc0\x3e\x01");
  REQUIRE(other.ParseFromString(other_lite.unknown_fields()));
  add_unknown_fields(node, other);
  add_unknown_fields(lite, other_lite);
  CHECK(other_lite.unknown_fields() == bytes_of(other));
}

TEST_CASE("bytes that end too early have the texts before the fault") {
  CHECK(unknown_texts(LiteMessage("\xca\x3e\x01"
                                  "a"
                                  "\xca\x3e\x05"
                                  "bc"),
                      1001) == Texts{"a"});
  CHECK(unknown_texts(LiteMessage("\xca\x3e\x01"
                                  "a"
                                  "\xca"),
                      1001) == Texts{"a"});
  CHECK(unknown_texts(LiteMessage(), 1001).empty());
}
