#include <graft/surgery/outputs.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/testing.hpp>
#include "sound.hpp"

using namespace graft;
using Catch::Contains;

TEST_CASE("first outputs of nodes are exposed in the order of the nodes", "[expose_outputs]") {
  Model model = graph(
      "x: f32[2]; a = Neg(x); s, t = Split(a) {axis=0}; c = ArgMax(a) {axis=0}; y = Abs(t); "
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

TEST_CASE("values whose names match are exposed", "[expose_values]") {
  Model model = graph(
      "x: f32[2]; block1/out = Neg(x); block1/in = Abs(block1/out); block2/out = Exp(block1/in); "
      "y = Neg(block2/out)");
  CHECK(expose_values({".*/out", "block1/in"}).run(model).changes == 3);
  CHECK(unsound(model).empty());
  std::string names;
  for (const onnx::ValueInfoProto& output : model.proto().graph().output()) names += output.name() + " ";
  CHECK(names == "y block1/out block1/in block2/out ");
  CHECK(to_string(model.proto().graph().output(1).type()) == "f32[2]");
  CHECK(expose_values({".*/out", "y"}).run(model).changes == 0);
}

TEST_CASE("a type that is not known is noted, a pattern of nothing is an error", "[expose_values]") {
  Model model = graph("x: f32[2]; h = own::Op(x); g = Neg(x); y = own::Op(h, g)");
  const Report report = expose_values({"h|g"}).run(model);
  CHECK(report.changes == 1);
  REQUIRE(report.notes.size() == 1);
  CHECK_THAT(report.notes[0], Contains("'h' did not become an output"));
  CHECK_THAT(refusal(graph("x: f32[2]; y = Neg(x)"), expose_values({"x"})), Contains("x: matches no output of a node"));
}

namespace {

TestResult becomes(const std::string& text, const std::string& wanted) {
  Model model = graph(text);
  expose_quantized_output("y").run(model);
  CHECK(unsound(model).empty());
  return isomorphic(graph(wanted), model);
}

std::string why_not(const std::string& text, const std::string& output = "y") {
  return refusal(graph(text), expose_quantized_output(output));
}

const std::string scalars = "s = f32[] 0.5; z = i8[] 3; ";

}  // namespace

TEST_CASE("the integers take the place of the output, scale and zero point follow", "[expose_quantized_output]") {
  Model model = graph("x: f32[2,3]; " + scalars +
                      "q = QuantizeLinear(x, s, z); y = DequantizeLinear(q, s, z); v = Neg(x); return y, v");
  expose_quantized_output("y").run(model);
  CHECK(unsound(model).empty());
  const auto& outputs = model.proto().graph().output();
  REQUIRE(outputs.size() == 4);
  CHECK((outputs[0].name() == "q" && to_string(outputs[0].type()) == "i8[2,3]"));
  CHECK(outputs[1].name() == "v");
  CHECK((outputs[2].name() == "y_exposed_scale_output" && to_string(outputs[2].type()) == "f32[]"));
  CHECK((outputs[3].name() == "y_exposed_zero_point_output" && to_string(outputs[3].type()) == "i8[]"));
  CHECK(model.graph().find_node("y_exposed_scale") != nullptr);
  CHECK(model.graph().find("y") == nullptr);
  const auto results = Evaluator(model.graph()).run({{"x", Tensor::of<float>({2, 3}, {0, 1, -1, 2, 0.5, 4})}});
  CHECK(results[0].same_bytes(Tensor::of<std::int8_t>({2, 3}, {3, 5, 1, 7, 4, 11})));
  CHECK(results[2].item<float>() == 0.5f);
  CHECK(results[3].item<std::int8_t>() == 3);
}

TEST_CASE("per channel, one element, or without a zero point", "[expose_quantized_output]") {
  CHECK(
      becomes("x: f32[2,3]; s = f32[3] {1,2,3}; z = u8[3] 1; q = QuantizeLinear(x, s, z) {axis=1}; "
              "y = DequantizeLinear(q, s, z) {axis=1}",
              "x: f32[2,3]; s = f32[3] {1,2,3}; z = u8[3] 1; q = QuantizeLinear(x, s, z) {axis=1}; "
              "a = Identity(s); b = Identity(z); return q, a, b"));
  CHECK(becomes("x: f32[2]; s = f32[1] 1; q = QuantizeLinear(x, s); y = DequantizeLinear(q, s)",
                "x: f32[2]; s = f32[1] 1; z = u8[1] 0; q = QuantizeLinear(x, s); a = Identity(s); b = Identity(z); "
                "return q, a, b"));
}

TEST_CASE("where nodes read the output, it stays an inner value", "[expose_quantized_output]") {
  CHECK(becomes("x: f32[2]; " + scalars +
                    "q = QuantizeLinear(x, s, z); y = DequantizeLinear(q, s, z); v = Neg(y); "
                    "return y, v",
                "x: f32[2]; " + scalars +
                    "q = QuantizeLinear(x, s, z); y = DequantizeLinear(q, s, z); v = Neg(y); "
                    "a = Identity(s); b = Identity(z); return q, v, a, b"));
}

TEST_CASE("anything else is an error", "[expose_quantized_output]") {
  CHECK_THAT(why_not("x: f32[2]; y = Neg(x)"), Contains("not computed by a DequantizeLinear"));
  CHECK_THAT(why_not("x: f32[2]; y = Neg(x)", "z"), Contains("is not an output"));
  CHECK_THAT(why_not("q: i8[2]; " + scalars + "y = DequantizeLinear(q, s, z)"),
             Contains("does not read a QuantizeLinear"));
  CHECK_THAT(why_not("x: f32[2]; " + scalars +
                     "q = QuantizeLinear(x, s, z); y = DequantizeLinear(q, s, z); return "
                     "q, y"),
             Contains("is an output already"));
  CHECK_THAT(why_not("x: f32[2]; " + scalars +
                     "q = QuantizeLinear(x, s, z); y = DequantizeLinear(q, s, z); "
                     "y_exposed_scale_output = Neg(x); v = Neg(y_exposed_scale_output); return y, v"),
             Contains("the name is taken"));
}

namespace {

std::string outputs_of(const Model& model) {
  std::string names;
  for (const onnx::ValueInfoProto& output : model.proto().graph().output())
    names += output.name() + ":" + to_string(output.type()) + " ";
  return names;
}

const std::string text = "x: f32[2]; w = f32[2] 1; a = Neg(x); b = ArgMax(a) {axis=0}; y = Add(a, w)";

}  // namespace

TEST_CASE("values that are named become outputs in their order", "[add_intermediate_tensors_to_outputs]") {
  Model model = graph(text + "; return y");
  CHECK(add_intermediate_tensors_to_outputs({"b", "a", "y", "w", "x", "a"}).run(model).changes == 4);
  CHECK(unsound(model).empty());
  CHECK(outputs_of(model) == "y:f32[2] b:i64[1] a:f32[2] w:f32[2] x:f32[2] ");
}

TEST_CASE("without names, all that nodes make", "[add_intermediate_tensors_to_outputs]") {
  Model model = graph(text + "; h = own::Op(y); z = own::Op(h); return y, z");
  const Report report = add_intermediate_tensors_to_outputs().run(model);
  CHECK(report.changes == 2);
  REQUIRE(report.notes.size() == 1);
  CHECK_THAT(report.notes[0], Contains("'h'"));
  model.commit();
  CHECK(model.proto().graph().output(2).name() == "a");
  CHECK(model.proto().graph().output(3).name() == "b");
}

TEST_CASE("a name of nothing, or of what has no type, is an error", "[add_intermediate_tensors_to_outputs]") {
  CHECK_THAT(refusal(graph(text), add_intermediate_tensors_to_outputs({"a", "q"})), Contains("q: is not a value"));
  CHECK_THAT(refusal(graph("x: f32[2]; h = own::Op(x); y = own::Op(h)"), add_intermediate_tensors_to_outputs({"h"})),
             Contains("its type is not known"));
}
