#include <graft/surgery/to_inference.hpp>

#include <string>

#include <google/protobuf/text_format.h>
#include <catch2/catch.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/verify.hpp>
#include <graft/simplify/simplify.hpp>
#include <graft/surgery/inline_functions.hpp>
#include <graft/surgery/raise_opset.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

TestResult becomes(const std::string& text, const std::string& wanted) {
  return given(text).pass(to_inference()).becomes(wanted);
}

/// The notes of the pass, which must leave the model as it is.
std::string why_left(const std::string& text) {
  Model model = graph(text);
  const std::string before = model.serialize();
  const Report report = to_inference().run(model);
  CHECK(report.changes == 0);
  CHECK(model.serialize() == before);
  std::string notes;
  for (const std::string& note : report.notes) notes += note + "\n";
  return notes;
}

const std::string image = "x: f32[1,2,3]; s = f32[2] random(0.5, 2); ";

}  // namespace

TEST_CASE("a Dropout whose training_mode is true loses it", "[to_inference]") {
  CHECK(becomes("x: f32[2]; y = Neg(Dropout(x, f32[] 0.3, bool[] true) {seed=3})",
                "x: f32[2]; y = Neg(Dropout(x, f32[] 0.3) {seed=3})"));
  CHECK(becomes("x: f32[2]; y = Neg(Dropout(x, _, bool[] true))", "x: f32[2]; y = Neg(Dropout(x))"));
  CHECK(becomes("x: f32[2]; t = Constant() {value=bool[1] true}; y = Neg(Dropout(x, _, t)); return y, t",
                "x: f32[2]; t = Constant() {value=bool[1] true}; y = Neg(Dropout(x)); return y, t"));
  CHECK(given("x: f32[2]; y = Neg(Dropout(x, _, bool[] true))")
            .pass(to_inference() | simplify())
            .becomes("x: f32[2]; y = Neg(x)"));
  Model model = graph("x: f32[2]; y = Neg(Dropout(x, _, bool[] true))");
  to_inference().run(model);
  CHECK(model.graph().initializers().empty());
}

TEST_CASE("its mask is all true in inference", "[to_inference]") {
  Model model = graph("x: f32[3]; y, m = Dropout(x, f32[] 0.5, bool[] true)");
  const Feeds feeds{{"x", Tensor::of<float>({3}, {1, 2, 3})}};
  CHECK_THROWS(Evaluator(model.graph()).run(feeds));
  CHECK(to_inference().run(model).changes == 1);
  const std::vector<Tensor> results = Evaluator(model.graph()).run(feeds);
  CHECK(results[0].same_bytes(Tensor::of<float>({3}, {1, 2, 3})));
  CHECK(results[1].same_bytes(Tensor::of<bool>({3}, {true, true, true})));
}

TEST_CASE("below opset 7 a Dropout gets is_test", "[to_inference]") {
  const std::string wanted = "opset 6; x: f32[2]; y = Neg(Dropout(x) {is_test=1, ratio=0.25})";
  CHECK(becomes("opset 6; x: f32[2]; y = Neg(Dropout(x) {ratio=0.25})", wanted));
  CHECK(becomes("opset 6; x: f32[2]; y = Neg(Dropout(x) {ratio=0.25, is_test=0})", wanted));
  CHECK(given("opset 1; x: f32[2]; y, m = Dropout(x); z = Neg(y); return z")
            .pass(to_inference() | raise_opset(13))
            .becomes("opset 13; x: f32[2]; y, _ = Dropout(x); z = Neg(y); return z"));
  CHECK(why_left("opset 6; x: f32[2]; y, m = Dropout(x); z = Neg(m); return y, z") ==
        "'y' stays in training mode: 'm' is read\n");
}

TEST_CASE("a training_mode that is not constant stays", "[to_inference]") {
  CHECK(why_left("x: f32[2]; t: bool[]; y = Dropout(x, _, t)") ==
        "'y' stays in training mode: its training_mode is not constant\n");
  CHECK(why_left("x: f32[2]; t: bool[] = true; y = Dropout(x, _, t)") ==
        "'y' stays in training mode: its training_mode is not constant\n");
}

TEST_CASE("what is in inference stays, without a note", "[to_inference]") {
  CHECK(why_left("x: f32[2]; y, m = Dropout(x, f32[] 0.5, bool[] false)").empty());
  CHECK(why_left("opset 10; x: f32[2]; y, m = Dropout(x)").empty());
  CHECK(why_left("opset 6; x: f32[2]; y = Dropout(x) {is_test=1}").empty());
  CHECK(why_left(image + "y = BatchNormalization(x, s, s, s, s)").empty());
  CHECK(why_left("opset 9; " + image + "y = BatchNormalization(x, s, s, s, s)").empty());
  CHECK(why_left("opset 6; " + image + "y = BatchNormalization(x, s, s, s, s) {is_test=1}").empty());
}

TEST_CASE("a BatchNormalization in training mode becomes one of inference", "[to_inference]") {
  const std::string wanted = image + "y = BatchNormalization(x, s, s, s, s) {momentum=0.8}";
  CHECK(
      becomes(image + "y, m, v = BatchNormalization(x, s, s, s, s) {training_mode=1, momentum=0.8}; return y", wanted));
  CHECK(becomes(image + "y = BatchNormalization(x, s, s, s, s) {training_mode=1, momentum=0.8}", wanted));
  const std::string trained = "y, m, v, a, b = BatchNormalization(x, s, s, s, s) {momentum=0.8}; return y";
  for (const std::string opset : {"opset 7; ", "opset 9; ", "opset 13; "})
    CHECK(becomes(opset + image + trained, opset + wanted));
  for (const std::string opset : {"opset 9; ", "opset 6; "})
    CHECK(given(opset + image + trained).pass(to_inference() | raise_opset(15)).becomes("opset 15; " + wanted));
  CHECK(becomes("opset 6; " + image + "y = BatchNormalization(x, s, s, s, s)",
                "opset 6; " + image + "y = BatchNormalization(x, s, s, s, s) {is_test=1}"));
}

TEST_CASE("names stay: of the node, of its result, of an output of the graph", "[to_inference]") {
  for (const std::string end : {"return y", "z = Neg(y); return y, z, y", "z = Neg(y); return z"}) {
    Model model = graph(image + "y, m, v = BatchNormalization(x, s, s, s, s) {training_mode=1}; " + end);
    CHECK(to_inference().run(model).changes == 1);
    const onnx::GraphProto& proto = model.commit().graph();
    CHECK(verify(model).empty());
    CHECK(proto.node(0).name() == "y");
    REQUIRE(proto.node(0).output_size() == 1);
    CHECK(proto.node(0).output(0) == "y");
    CHECK(proto.output(0).name() == (end == "z = Neg(y); return z" ? "z" : "y"));
    CHECK(model.graph().find("y")->shape() == Shape({1, 2, 3}));
  }
}

TEST_CASE("a BatchNormalization whose statistics are used stays", "[to_inference]") {
  CHECK(why_left(image + "y, m, v = BatchNormalization(x, s, s, s, s) {training_mode=1}; z = Neg(m); return y, z") ==
        "'y' stays in training mode: 'm' is read\n");
  CHECK(why_left(image + "y, m, v = BatchNormalization(x, s, s, s, s) {training_mode=1}; return y, v") ==
        "'y' stays in training mode: 'v' is an output of the graph\n");
  CHECK(why_left("opset 9; " + image + "y, m, v, a, b = BatchNormalization(x, s, s, s, s); return y, b") ==
        "'y' stays in training mode: 'b' is an output of the graph\n");
}

TEST_CASE("bodies are switched too, and what they capture is followed", "[to_inference]") {
  CHECK(becomes(image + "c: bool[]; y, m, v = BatchNormalization(x, s, s, s, s) {training_mode=1}; "
                        "z = If(c) {then_branch={ t = Dropout(y, _, bool[] true) }, else_branch={ u = Neg(y) }}; "
                        "return z",
                image + "c: bool[]; y = BatchNormalization(x, s, s, s, s); "
                        "z = If(c) {then_branch={ t = Dropout(y) }, else_branch={ u = Neg(y) }}; return z"));
}

TEST_CASE("functions are switched too", "[to_inference]") {
  onnx::ModelProto proto;
  const std::string value = "type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } ";
  REQUIRE(google::protobuf::TextFormat::ParseFromString(
      "ir_version: 8 opset_import { version: 17 } opset_import { domain: 'own' version: 1 } graph { name: 'g' "
      "input { name: 'x' " +
          value + "} output { name: 'y' " + value +
          "} "
          "initializer { name: 'yes' data_type: 9 int32_data: 1 } "
          "node { op_type: 'Train' domain: 'own' input: 'x' input: 'yes' output: 'y' } } "
          "functions { domain: 'own' name: 'Train' opset_import { version: 17 } input: 'a' input: 't' output: 'd' "
          "node { op_type: 'Constant' output: 'k' attribute { name: 'value' type: TENSOR t { data_type: 9 int32_data: "
          "1 } "
          "} } node { op_type: 'Dropout' input: 'a' input: '' input: 'k' output: 'b' } "
          "node { op_type: 'Dropout' name: 'told' input: 'b' input: '' input: 't' output: 'd' } }",
      &proto));
  Model model(proto);
  const Report report = to_inference().run(model);
  CHECK(report.changes == 1);
  CHECK(report.notes[0] == "'told' stays in training mode: its training_mode is not constant");
  (inline_functions() | to_inference()).run(model);
  CHECK(Evaluator(model.graph()).run({{"x", Tensor::of<float>({2}, {1, 2})}})[0].to<float>() ==
        std::vector<float>{1, 2});
}

TEST_CASE("a note says how many nodes were in training mode", "[to_inference]") {
  Model model = graph(image +
                      "a = Dropout(x, _, bool[] true); b = Dropout(a, _, bool[] true); "
                      "y = BatchNormalization(b, s, s, s, s) {training_mode=1}");
  const Report report = to_inference().run(model);
  CHECK(report.changes == 3);
  CHECK(report.notes ==
        std::vector<std::string>{"2 Dropout were in training mode", "1 BatchNormalization was in training mode"});
}
