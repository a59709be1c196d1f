#include <graft/rewrite/provenance.hpp>

#include <catch2/catch.hpp>

#include <graft/rewrite/detail/metadata.hpp>

#include "rewrite/words.hpp"

using namespace words;

namespace {

inline constexpr auto tanh_tanh = rule<"tanh-tanh">(op<"Tanh">(op<"Tanh">(x)).as(act), act(x)).changes_values("much");
inline constexpr auto to_tanh = rule<"to-tanh">(op<"Relu">(x), op<"Tanh">(x)).changes_values("much");

Model named() {
  Small m;
  Value& one = m.op("Tanh", {&m.in});
  Value& two = m.op("Relu", {&one});
  m.build.graph().rename(*one.producer(), "one");
  m.build.graph().rename(*two.producer(), "two");
  return m.finish(two);
}

}  // namespace

TEST_CASE("a node tells which rules made it, and of what, when that is asked for") {
  Model model = named();
  Context context;
  context.provenance = true;
  fixpoint(to_tanh, tanh_tanh).run(model, context);
  const Node& node = *model.graph().first_node();
  CHECK(ops(model.graph()) == "Tanh");
  CHECK(rules_of(node) == "to-tanh, tanh-tanh");
  CHECK(origins_of(node).find("one") != std::string::npos);

  // On the wire it is metadata_props, whether or not the definitions at hand know the field; a key stands there once.
  onnx::StringStringEntryProto entry;
  std::vector<std::string> keys;
  onnx::NodeProto payload = node.proto();
  const auto& unknown = payload.unknown_fields();
  for (int i = 0; i < unknown.field_count(); ++i) {
    REQUIRE(unknown.field(i).number() == 9);
    REQUIRE(entry.ParseFromString(unknown.field(i).length_delimited()));
    keys.push_back(entry.key());
  }
  if (!keys.empty()) CHECK(keys == std::vector<std::string>{"graft.rules", "graft.from"});
}

TEST_CASE("nothing is written unasked") {
  Model model = named();
  fixpoint(to_tanh, tanh_tanh).run(model);
  CHECK(rules_of(*model.graph().first_node()) == "");
  CHECK(model.graph().first_node()->proto().unknown_fields().empty());
}

TEST_CASE("other metadata stays") {
  onnx::NodeProto node;
  detail::set_metadata(node, "theirs", "kept");
  detail::set_metadata(node, "graft.rules", "a");
  detail::set_metadata(node, "graft.rules", "b");
  CHECK(detail::metadata(node, "theirs") == "kept");
  CHECK(detail::metadata(node, "graft.rules") == "b");
  CHECK(detail::metadata(node, "absent") == "");
  onnx::NodeProto again;
  again.ParseFromString(node.SerializeAsString());
  CHECK(detail::metadata(again, "theirs") == "kept");
}
