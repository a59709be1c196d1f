#include <graft/surgery/raise_opset.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/verify.hpp>
#include <graft/testing.hpp>

#include "support/data.hpp"

using namespace graft;
using Catch::Matchers::Contains;

TEST_CASE("bodies are raised with the graph around them") {
  CHECK(given("opset 11; x: f32[1,2]; c: bool[];"
              "y = If(c) {then_branch={ t = Squeeze(x) {axes=[0]} }, else_branch={ u = ReduceSum(x) {axes=[0], "
              "keepdims=0} }}")
            .pass(raise_opset(13))
            .becomes("opset 13; x: f32[1,2]; c: bool[];"
                     "y = If(c) {then_branch={ t = Squeeze(x, i64[1] 0) },"
                     "else_branch={ u = ReduceSum(x, i64[1] 0) {keepdims=0} }}"));
}

TEST_CASE("other domains keep their version, and their operators") {
  Model model = graph("opset 11; opset com.microsoft 1; x: f32[2]; y = com.microsoft::Gelu(x)");
  raise_opset(model, 13);
  CHECK(model.opset() == 13);
  CHECK(model.opset("com.microsoft") == 1);
}

TEST_CASE("the ir_version follows, and initializers that were inputs stay constants") {
  Model model = graph("ir 3; opset 8; x: f32[2]; w: f32[2] = 3; y = Add(x, w)");
  raise_opset(model, 13);
  CHECK(model.ir_version() == 7);
  CHECK(model.graph().find("w")->is_constant());
  CHECK(model.commit().graph().input_size() == 1);
  CHECK(model.proto().opset_import(0).version() == 13);
}

TEST_CASE("an input that a caller may override already stays one") {
  Model model = graph("ir 4; opset 9; x: f32[2]; w: f32[2] = 3; y = Add(x, w)");
  raise_opset(model, 13);
  CHECK(model.graph().inputs().size() == 2);
}

TEST_CASE("what cannot be raised is named, and the model stays as it was") {
  Model model = graph("opset 8; x: f32[1,2,3,3]; s = f32[2] 1; h = Clip(x) {min=0.0};"
                      "y = Relu(BatchNormalization(h, s, s, s, s) {spatial=0})");
  const std::string before = model.serialize();
  CHECK_THROWS_WITH(raise_opset(model, 13),
                    Contains("BatchNormalization") && Contains("spatial") && Contains("cannot be raised"));
  CHECK(model.serialize() == before);
  CHECK_THROWS_WITH(raise_opset(model, 99), Contains("newer"));
  Model unknown = graph("opset 8; x: f32[2]; y = Relu(x)");
  unknown.graph().set_op(*unknown.graph().first_node(), "NoSuchOperator");
  CHECK_THROWS_WITH(raise_opset(unknown, 13), Contains("NoSuchOperator"));
}

TEST_CASE("a model that is there already is left alone") {
  Model model = graph("opset 17; x: f32[2]; y = Relu(x)");
  const std::string before = model.serialize();
  raise_opset(model, 13);
  CHECK(raise_opset(13).run(model).changes == 0);
  CHECK(model.serialize() == before);
}

TEST_CASE("the pass serves those that need an opset") {
  const Pass needy = pass("needy", [](Graph&, Context&) {}).needs(needs_opset(13));
  Model model = graph("opset 11; x: f32[1,2]; y = Squeeze(x) {axes=[0]}");
  CHECK_THROWS_WITH(needy.run(model), Contains("raise_opset"));
  (raise_opset(13) | needy).run(model);
  CHECK(model.opset() == 13);
}

TEST_CASE("the real models are raised, and compute what they did", "[slow]") {
  TEST_DATA(folder, "models");
  for (const std::string name : {"mobilenetv2", "squeezenet", "ultraface_rfb320", "mnist"}) {
    INFO(name);
    Model model = Model::load(folder / (name + ".onnx"));
    const Trial trial = given(model).pass(raise_opset(15)).changes_signature();
    CHECK(trial.equivalent({.inputs = 1, .atol = 1e-4, .dims = {{"N", 1}, {"batch", 1}}}));
    raise_opset(15).run(model);
    for (const Problem& problem : verify(model)) FAIL_CHECK(to_string(problem));
  }
}
