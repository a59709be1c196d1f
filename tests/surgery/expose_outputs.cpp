#include <graft/surgery/expose_outputs.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"

using namespace graft;
using Catch::Contains;

TEST_CASE("first outputs of nodes are exposed in the order of the nodes", "[expose_outputs]") {
  Model model = graph("x: f32[2]; a = Neg(x); s, t = Split(a) {axis=0}; c = ArgMax(a) {axis=0}; y = Abs(t); "
                      "return y");
  CHECK(expose_outputs({"c", "s", "y", "a"}).run(model).changes == 3);
  CHECK(unsound(model).empty());
  const auto& outputs = model.proto().graph().output();
  REQUIRE(outputs.size() == 4);
  CHECK(outputs[0].name() == "y");
  CHECK(outputs[1].name() == "a");
  CHECK(outputs[2].name() == "s");
  CHECK(outputs[3].name() == "c");
  CHECK(to_string(outputs[2].type()) == "f32[1]");
  CHECK(to_string(outputs[3].type()) == "i64[1]");
  CHECK(expose_outputs({"c"}).run(model).changes == 0);
}

TEST_CASE("a node without a name is called as in reports", "[expose_outputs]") {
  onnx::ModelProto proto = graph("x: f32[2]; a = Neg(x); y = Abs(a)").commit();
  for (onnx::NodeProto& node : *proto.mutable_graph()->mutable_node()) node.clear_name();
  Model model(proto);
  expose_outputs({"Neg(a)"}).run(model);
  CHECK(unsound(model).empty());
  CHECK(model.graph().output(1)->name() == "a");
}

TEST_CASE("what cannot be exposed is an error", "[expose_outputs]") {
  const auto why = [](const std::string& text, std::vector<std::string> names) {
    return refusal(graph(text), expose_outputs(std::move(names)));
  };
  CHECK_THAT(why("x: f32[2]; y = Neg(x)", {"z"}), Contains("no node of this name"));
  CHECK_THAT(why("x: f32[2]; h = own::Op(x); y = own::Op(h)", {"h"}), Contains("h: cannot be an output"));
  CHECK_THAT(why("x: f32[2]; _, t = Split(x) {axis=0}; y = Neg(t)", {"t"}), Contains("has no first output"));
  onnx::ModelProto twice = graph("x: f32[2]; a = Neg(x); y = Neg(a)").commit();
  for (onnx::NodeProto& node : *twice.mutable_graph()->mutable_node()) node.set_name("twice");
  CHECK_THAT(refusal(Model(twice), expose_outputs({"twice"})), Contains("several nodes"));
}
