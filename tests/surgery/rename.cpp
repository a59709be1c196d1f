#include <graft/surgery/rename.hpp>

#include <set>
#include <string>

#include <catch2/catch.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/testing.hpp>
#include "signature.hpp"
#include "sound.hpp"

using namespace graft;
using Catch::Contains;

namespace {

const std::string with_body =
    "x: f32[2]; z: f32[2]; c: bool[]; y = If(c) {then_branch={ t = Add(x, z) }, else_branch={ e = Sub(x, z) }}";

std::string inputs_of(const Model& model) {
  std::string names;
  for (const Value* const input : model.graph().inputs()) names += std::string(input->name()) + " ";
  return names;
}

}  // namespace

TEST_CASE("inputs get new names, and uses follow, in bodies too", "[rename_inputs]") {
  Model model = graph(with_body);
  CHECK(rename_inputs({{"x", "left"}, {"z", "right"}}).run(model).changes == 2);
  CHECK(unsound(model).empty());
  CHECK(inputs_of(model) == "left right c ");
  CHECK(isomorphic(graph(with_body), model));
  const onnx::NodeProto& branch = model.proto().graph().node(0).attribute(0).g().node(0);
  CHECK(branch.input(0) == "left");
  CHECK(branch.input(1) == "right");
}

TEST_CASE("two inputs swap their names", "[rename_inputs]") {
  Model model = graph("x: f32[2]; z: f32[2]; y = Sub(x, z)");
  CHECK(rename_inputs({{"x", "z"}, {"z", "x"}}).run(model).changes == 2);
  CHECK(unsound(model).empty());
  CHECK(inputs_of(model) == "z x ");
  CHECK(equivalent(graph("x: f32[2]; z: f32[2]; y = Sub(z, x)").graph(), model.graph()));
}

TEST_CASE("an input with a default keeps it", "[rename_inputs]") {
  Model model = graph("x: f32[2]; w: f32[2] = 3; y = Add(x, w)");
  rename_inputs({{"w", "bias"}}).run(model);
  CHECK(unsound(model).empty());
  CHECK(model.proto().graph().input(1).name() == "bias");
  CHECK(model.proto().graph().initializer(0).name() == "bias");
}

TEST_CASE("an input that is an output as well stays one under its old name", "[rename_inputs]") {
  Model model = graph("x: f32[2]; y = Neg(x); return y, x");
  rename_inputs({{"x", "in"}}).run(model);
  CHECK(unsound(model).empty());
  CHECK(isomorphic(graph("in: f32[2]; y = Neg(in); x = Identity(in); return y, x"), model));
  CHECK(model.proto().graph().output(1).name() == "x");
  CHECK(inputs_of(model) == "in ");
}

TEST_CASE("facts about the tensors move with the names", "[rename_inputs]") {
  Model model = graph("x: f32[2]; z: f32[2]; y = Sub(x, z)");
  Context context;
  context.facts.provide(Ranges{{"x", Range{-1, 1}}, {"z", Range{-2, 2}}});
  rename_inputs({{"x", "z"}, {"z", "x"}}).run(model, context);
  CHECK(context.facts.find<Ranges>()->find("z")->max == 1);
  CHECK(context.facts.find<Ranges>()->find("x")->max == 2);
}

TEST_CASE("names of nothing, and clashes, are errors", "[rename_inputs]") {
  const auto why = [](const std::string& text, std::vector<std::pair<std::string, std::string>> names) {
    return refusal(graph(text), rename_inputs(std::move(names)));
  };
  const std::string two = "x: f32[2]; z: f32[2]; w = f32[2] 1; h = Add(x, z); y = Add(h, w)";
  CHECK_THAT(why(two, {{"q", "a"}}), Contains("q: is not an input of the graph"));
  CHECK_THAT(why(two, {{"h", "a"}}), Contains("is not an input"));
  CHECK_THAT(why(two, {{"w", "a"}}), Contains("is not an input"));
  CHECK_THAT(why(two, {{"z", "a"}, {"x", "h"}}), Contains("x: cannot be renamed to 'h': the name is taken"));
  CHECK_THAT(why(two, {{"x", "z"}}), Contains("the name is taken"));
  CHECK_THAT(why(two, {{"x", "a"}, {"z", "a"}}), Contains("two values"));
  CHECK_THAT(why(two, {{"x", "a"}, {"x", "b"}}), Contains("twice"));
  CHECK_THAT(why(two, {{"x", ""}}), Contains("empty"));
  CHECK_THAT(why(with_body, {{"c", "t"}}), Contains("taken in a body"));
  CHECK(why(two, {{"x", "x"}}).empty());
}

namespace {

std::string outputs_of(const Model& model) {
  std::string names;
  for (const onnx::ValueInfoProto& output : model.proto().graph().output()) names += output.name() + " ";
  return names;
}

}  // namespace

TEST_CASE("outputs get new names, and other uses follow, in bodies too", "[rename_outputs]") {
  const std::string text =
      "x: f32[2]; c: bool[]; h = Neg(x); y = If(c) {then_branch={ t = Abs(h) }, else_branch={ e = Exp(h) }}; "
      "return h, y";
  Model model = graph(text);
  CHECK(rename_outputs({{"h", "negated"}, {"y", "result"}}).run(model).changes == 2);
  CHECK(unsound(model).empty());
  CHECK(outputs_of(model) == "negated result ");
  CHECK(isomorphic(graph(text), model));
  CHECK(model.proto().graph().output(0).type().tensor_type().shape().dim(0).dim_value() == 2);
}

TEST_CASE("two outputs swap their names", "[rename_outputs]") {
  Model model = graph("x: f32[2]; y = Neg(x); z = Abs(y); return y, z");
  rename_outputs({{"y", "z"}, {"z", "y"}}).run(model);
  CHECK(unsound(model).empty());
  CHECK(outputs_of(model) == "z y ");
  CHECK(model.graph().find("z")->producer()->is("Neg"));
}

TEST_CASE("an output that is an input keeps that name as an input", "[rename_outputs]") {
  Model model = graph("x: f32[2]; y = Neg(x); return x, y");
  rename_outputs({{"x", "copy"}}).run(model);
  CHECK(unsound(model).empty());
  CHECK(outputs_of(model) == "copy y ");
  CHECK(model.proto().graph().input(0).name() == "x");
  CHECK(isomorphic(graph("x: f32[2]; y = Neg(x); c = Identity(x); return c, y"), model));
}

TEST_CASE("an output that is an initializer is renamed with it", "[rename_outputs]") {
  Model model = graph("x: f32[2]; w = f32[2] 1; y = Add(x, w); return y, w");
  rename_outputs({{"w", "weight"}}).run(model);
  CHECK(unsound(model).empty());
  CHECK(outputs_of(model) == "y weight ");
  CHECK(model.proto().graph().initializer(0).name() == "weight");
}

TEST_CASE("names of no output, and clashes, are errors", "[rename_outputs]") {
  const auto why = [](std::vector<std::pair<std::string, std::string>> names) {
    return refusal(graph("x: f32[2]; h = Neg(x); y = Abs(h)"), rename_outputs(std::move(names)));
  };
  CHECK_THAT(why({{"h", "a"}}), Contains("h: is not an output of the graph"));
  CHECK_THAT(why({{"x", "a"}}), Contains("is not an output"));
  CHECK_THAT(why({{"y", "h"}}), Contains("the name is taken"));
  CHECK_THAT(why({{"y", ""}}), Contains("empty"));
}

TEST_CASE("a dim has its new name wherever it stands", "[rename_dim]") {
  Model model = graph(
      "x: f32[batch,3]; s: sequence(f32[batch]); c: bool[]; h = Neg(x) : f32[batch,3]; "
      "y = If(c) {then_branch={ t = Abs(h) : f32[batch,3] }, else_branch={ e = Neg(h) }}; return y");
  CHECK(rename_dim("batch", "N").run(model).changes >= 4);
  CHECK(unsound(model).empty());
  const onnx::GraphProto& proto = model.proto().graph();
  CHECK(to_string(proto.input(0).type()) == "f32[N,3]");
  CHECK(to_string(proto.input(1).type()) == "sequence(f32[N])");
  CHECK(to_string(proto.output(0).type()) == "f32[N,3]");
  CHECK(proto.DebugString().find("batch") == std::string::npos);
}

TEST_CASE("expressions that exporters write follow", "[rename_dim]") {
  onnx::ModelProto proto = graph("x: f32[batch]; y = Concat(x, x) {axis=0}").commit();
  proto.mutable_graph()
      ->mutable_output(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_param("2*batch + subbatch");
  Model model(proto);
  rename_dim("batch", "N").run(model);
  CHECK(model.commit().graph().output(0).type().tensor_type().shape().dim(0).dim_param() == "2*N + subbatch");
}

TEST_CASE("a dim that there is not, or is already, is an error", "[rename_dim]") {
  const auto why = [](const char* from, const char* to) {
    return refusal(graph("x: f32[N,M]; y = Neg(x)"), rename_dim(from, to));
  };
  CHECK_THAT(why("K", "L"), Contains("K: no dim of the model has this name"));
  CHECK_THAT(why("N", "M"), Contains("M: a dim of the model has this name already"));
  CHECK_THAT(why("N", ""), Contains("name of the dim is empty"));
  CHECK(why("N", "N").empty());
}

namespace {

std::string renamed(const std::string& text, const std::string& input, std::size_t axis, const std::string& symbol) {
  Model model = graph(text);
  rename_input_dims(input, axis, symbol).run(model);
  CHECK(unsound(model).empty());
  return signature(model);
}

}  // namespace

TEST_CASE("a number becomes a symbol, and outputs follow", "[rename_input_dims]") {
  CHECK(renamed("x: f32[1,3]; y = MatMul(x, f32[3,4] random)", "x", 0, "N") == "f32[N,3] -> f32[N,4]");
  CHECK(renamed("x: f32[1,3]; h = Neg(x) : f32[1,3]; y = Transpose(h)", "x", 0, "N") == "f32[N,3] -> f32[3,N]");
}

TEST_CASE("a symbol that other inputs bear stays theirs", "[rename_input_dims]") {
  CHECK(renamed("x: f32[N]; z: f32[N]; y = Neg(x); v = Neg(z)", "x", 0, "M") == "f32[M] f32[N] -> f32[M] f32[N]");
  CHECK(renamed("x: f32[N]; y = own::Op(x) : f32[N]", "x", 0, "M") == "f32[M] -> f32[M]");
  CHECK(renamed("x: f32[?,2]; y = Neg(x)", "x", 0, "M") == "f32[M,2] -> f32[M,2]");
}

TEST_CASE("what stays a number is a number", "[rename_input_dims]") {
  CHECK(renamed("x: f32[1,6]; y = Reshape(x, i64[2] {3,2})", "x", 0, "N") == "f32[N,6] -> f32[3,2]");
}

TEST_CASE("inputs and axes that there are not are errors", "[rename_input_dims]") {
  const auto why = [](const char* input, std::size_t axis, const char* symbol) {
    return refusal(graph("x: f32[2]; z: f32; y = Neg(x); v = Neg(z)"), rename_input_dims(input, axis, symbol));
  };
  CHECK_THAT(why("y", 0, "N"), Contains("is not an input"));
  CHECK_THAT(why("x", 1, "N"), Contains("x: has no axis 1"));
  CHECK_THAT(why("z", 0, "N"), Contains("has no axis 0"));
  CHECK_THAT(why("x", 0, ""), Contains("empty"));
}

TEST_CASE("an extent of an output gets a name", "[rename_output_dims]") {
  Model model = graph("x: f32[8]; y = NonZero(x); z = Neg(x)");
  rename_output_dims("y", 1, "count").run(model);
  CHECK(unsound(model).empty());
  CHECK(to_string(model.proto().graph().output(0).type()) == "i64[1,count]");
  rename_output_dims("z", 0, "N").run(model);
  CHECK(to_string(model.commit().graph().output(1).type()) == "f32[N]");
}

TEST_CASE("a symbol that no input bears is renamed everywhere", "[rename_output_dims]") {
  Model model = graph(
      "x: f32[M]; y = NonZero(x) : i64[1,K]; v = Neg(y) : i64[1,K]; z = Abs(x) : f32[M]; "
      "w = Exp(x) : f32[M]; return y, v, z, w");
  rename_output_dims("y", 1, "count").run(model);
  CHECK(to_string(model.commit().graph().output(1).type()) == "i64[1,count]");
  rename_output_dims("z", 0, "N").run(model);
  CHECK(to_string(model.commit().graph().output(2).type()) == "f32[N]");
  CHECK(to_string(model.proto().graph().output(3).type()) == "f32[M]");
  CHECK(to_string(model.proto().graph().input(0).type()) == "f32[M]");
}

TEST_CASE("outputs and axes that there are not are errors", "[rename_output_dims]") {
  const auto why = [](const char* output, std::size_t axis, const char* symbol) {
    return refusal(graph("x: f32[2]; y = Neg(x)"), rename_output_dims(output, axis, symbol));
  };
  CHECK_THAT(why("x", 0, "N"), Contains("is not an output"));
  CHECK_THAT(why("y", 1, "N"), Contains("y: has no axis 1"));
  CHECK_THAT(why("y", 0, ""), Contains("empty"));
}

TEST_CASE("every node gets a name of its own, in bodies too") {
  onnx::ModelProto proto = graph(
                               "x: f32[2]; c: bool[]; a = Neg(x); b = Neg(a); y = If(c) {then_branch={ t = Abs(b) }, "
                               "else_branch={ u = Relu(b) }}")
                               .proto();
  proto.mutable_graph()->mutable_node(0)->set_name("twice");
  proto.mutable_graph()->mutable_node(1)->set_name("twice");
  proto.mutable_graph()->mutable_node(2)->clear_name();
  Model model(proto);
  unique_node_names().run(model);
  std::set<std::string> names;
  for (const Graph* const scope : model.scopes())
    for (const Node& node : scope->nodes()) CHECK(names.insert(std::string(node.name())).second);
  CHECK(names.count("twice") == 1);
  CHECK(names.count("") == 0);
  CHECK(names.count("If(y)") == 1);
  CHECK(unique_node_names().run(model).changes == 0);
}

TEST_CASE("facts about nodes of one name hold for each, under its new name") {
  onnx::ModelProto proto = graph("x: f32[2]; a = Neg(x); y = Neg(a)").proto();
  for (onnx::NodeProto& node : *proto.mutable_graph()->mutable_node()) node.set_name("twice");
  Model model(proto);
  Context context;
  context.facts.provide(KeptInFloat{{{{"twice", "why"}}}});
  unique_node_names().run(model, context);
  for (const Node& node : model.graph().nodes()) CHECK(context.facts.find<KeptInFloat>()->holds(node));
}
