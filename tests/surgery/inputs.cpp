#include <graft/surgery/inputs.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>
#include "sound.hpp"

using namespace graft;
using Catch::Contains;

TEST_CASE("inputs with an initializer become constants") {
  Model model = graph("x: f32[2]; w: f32[2] = 3; y = Add(x, w)");
  CHECK(freeze_inputs().run(model).changes == 1);
  CHECK(model.graph().find("w")->is_constant());
  REQUIRE(model.commit().graph().input_size() == 1);
  CHECK(model.proto().graph().input(0).name() == "x");
  CHECK(model.proto().graph().initializer(0).name() == "w");
}

TEST_CASE("below IR 4 they are constants already") {
  Model model = graph("ir 3; opset 8; x: f32[2]; w: f32[2] = 3; y = Add(x, w)");
  const Report report = freeze_inputs().run(model);
  CHECK(report.changes == 0);
  CHECK(report.notes.size() == 1);
  CHECK(model.commit().graph().input_size() == 2);
}

TEST_CASE("wherever they stand among the inputs, and where they are outputs as well") {
  Model model = graph("v: f32[2] = 1; x: f32[2]; w: f32[2] = 3; z: f32[2]; y = Sum(v, x, w, z); return y, w");
  CHECK(freeze_inputs().run(model).changes == 2);
  CHECK(isomorphic(graph("v = f32[2] 1; w = f32[2] 3; x: f32[2]; z: f32[2]; y = Sum(v, x, w, z); return y, w"), model));
  CHECK(freeze_inputs().run(model).changes == 0);
}

namespace {

TestResult becomes(const std::string& text, std::vector<std::string> names, const std::string& wanted) {
  Model model = graph(text);
  remove_inputs(std::move(names)).run(model);
  CHECK(unsound(model).empty());
  return isomorphic(graph(wanted), model);
}

std::string why_not(const std::string& text, std::vector<std::string> names) {
  return refusal(graph(text), remove_inputs(std::move(names)));
}

}  // namespace

TEST_CASE("operands of variadic operators are left out", "[remove_inputs]") {
  CHECK(becomes("x: f32[2]; z: f32[2]; w: f32[2]; y = Sum(x, z, w)", {"z"}, "x: f32[2]; w: f32[2]; y = Sum(x, w)"));
  CHECK(becomes("x: f32[2]; z: f32[3]; y = Concat(z, x, z) {axis=0}", {"z"}, "x: f32[2]; y = Concat(x) {axis=0}"));
}

TEST_CASE("optional inputs are absent", "[remove_inputs]") {
  CHECK(becomes("x: f32[2]; a: f32[]; b: f32[]; y = Clip(x, a, b)", {"a"}, "x: f32[2]; b: f32[]; y = Clip(x, _, b)"));
  CHECK(becomes("x: f32[2]; a: f32[]; b: f32[]; y = Clip(x, a, b)", {"b", "a"}, "x: f32[2]; y = Clip(x)"));
  CHECK(becomes("x: f32[1,2,4,4]; b: f32[3]; y = Conv(x, f32[3,2,1,1] 1, b)", {"b"},
                "x: f32[1,2,4,4]; y = Conv(x, f32[3,2,1,1] 1)"));
}

TEST_CASE("of two operands the other one remains", "[remove_inputs]") {
  CHECK(becomes("x: f32[2]; z: f32[2]; y = Neg(Add(z, x))", {"z"}, "x: f32[2]; y = Neg(x)"));
  CHECK(becomes("x: f32[2]; z: f32[2]; y = Div(Neg(x), z)", {"z"}, "x: f32[2]; y = Neg(x)"));
  CHECK(becomes("x: f32[2]; z: f32[2]; y = Mul(x, z)", {"z"}, "x: f32[2]; y = Identity(x)"));
  Model model = graph("x: f32[2]; z: f32[4,2]; y = Mul(x, z)");
  remove_inputs({"z"}).run(model);
  CHECK(to_string(model.commit().graph().output(0).type()) == "f32[2]");
}

TEST_CASE("what cannot do without goes, and what that made", "[remove_inputs]") {
  CHECK(becomes("x: f32[2]; z: f32[2]; y = Sum(x, Neg(Abs(z)))", {"z"}, "x: f32[2]; y = Sum(x)"));
  CHECK(becomes("x: f32[2]; z: f32[2]; y = Add(Sub(z, x), x)", {"z"}, "x: f32[2]; y = Identity(x)"));
  CHECK(becomes("x: f32[2]; z: f32[2]; s, t = Split(z) {axis=0}; y = Sum(x, Neg(s), Exp(t))", {"z"},
                "x: f32[2]; y = Sum(x)"));
  // Constant has no inputs to begin with.
  CHECK(becomes("x: f32[2]; z: f32[2]; k = Constant() {value=f32[2] 1}; y = Sum(x, z, k)", {"z"},
                "x: f32[2]; k = Constant() {value=f32[2] 1}; y = Sum(x, k)"));
}

TEST_CASE("captures in bodies are uses, and a default goes with its input", "[remove_inputs]") {
  CHECK(
      becomes("x: f32[2]; z: f32[2]; c: bool[]; y = If(c) {then_branch={ t = Sum(x, z) }, else_branch={ e = Neg(x) "
              "}}",
              {"z"}, "x: f32[2]; c: bool[]; y = If(c) {then_branch={ t = Sum(x) }, else_branch={ e = Neg(x) }}"));
  Model model = graph("x: f32[2]; w: f32[2] = 3; y = Sum(x, w)");
  remove_inputs({"w"}).run(model);
  CHECK(model.commit().graph().initializer_size() == 0);
  CHECK(model.proto().graph().input_size() == 1);
}

TEST_CASE("outputs stay, or the pass throws", "[remove_inputs]") {
  CHECK_THAT(why_not("x: f32[2]; z: f32[2]; y = Neg(z); v = Abs(x); return y, v", {"z"}),
             Contains("y: the output cannot be computed"));
  CHECK_THAT(why_not("x: f32[2]; y = Neg(x); return y, x", {"x"}), Contains("cannot be computed"));
  CHECK_THAT(why_not("x: f32[2]; z: f32[2]; y = own::Op(x, z)", {"z"}), Contains("is not known"));
  CHECK_THAT(why_not("x: f32[2]; y = Neg(x)", {"y"}), Contains("is not an input"));
  CHECK_THAT(why_not("x: f32[2]; z: f32[2]; y = Add(z, z)", {"z"}), Contains("cannot be computed"));
  CHECK_THAT(why_not("x: f32[2]; z: f32[4,2]; y = Reshape(Add(x, z), i64[1] 8)", {"z"}), Contains("do not fit"));
}

TEST_CASE("the new input k is the old one permutation[k]", "[reorder_inputs]") {
  Model model = graph("a: f32[1]; b: f32[2]; c: f32[3] = 1; y = Concat(a, b, c) {axis=0}");
  CHECK(reorder_inputs({2, 0, 1}).run(model).changes == 3);
  CHECK(unsound(model).empty());
  CHECK(isomorphic(graph("c: f32[3] = 1; a: f32[1]; b: f32[2]; y = Concat(a, b, c) {axis=0}"), model));
  CHECK(reorder_inputs({0, 1, 2}).run(model).changes == 0);
}

TEST_CASE("anything but a permutation of the inputs is an error", "[reorder_inputs]") {
  const char* const text = "a: f32[1]; b: f32[1]; y = Add(a, b)";
  CHECK_THAT(refusal(graph(text), reorder_inputs({0})), Contains("has 1 elements; the graph has 2 inputs"));
  CHECK_THAT(refusal(graph(text), reorder_inputs({0, 0})), Contains("twice"));
  CHECK_THAT(refusal(graph(text), reorder_inputs({0, 2})), Contains("out of range"));
}

namespace {

/// The notes of the pass, which must leave the model as it is.
std::string why_left(const std::string& text, const std::string& node, std::size_t input) {
  Model model = graph(text);
  const std::string before = model.serialize();
  const Report report = zero_out_input(node, input).run(model);
  CHECK(report.changes == 0);
  CHECK(model.serialize() == before);
  return report.notes.empty() ? "" : report.notes.front();
}

}  // namespace

TEST_CASE("an input of a node becomes zeros", "[zero_out_input]") {
  Model model = graph("x: f32[2,3]; z: i64[2,3]; h = Cast(z) {to=f32}; y = Add(x, h)");
  CHECK(zero_out_input("y", 1).run(model).changes == 1);
  CHECK(unsound(model).empty());
  CHECK(isomorphic(graph("x: f32[2,3]; z: i64[2,3]; h = Cast(z) {to=f32}; o = Constant() {value=f32[2,3] 0}; "
                         "y = Add(x, o); return y"),
                   model));
  CHECK(model.graph().find("y_zero_output_0")->producer()->name() == "y_zero");
  CHECK(model.graph().inputs().size() == 2);
}

TEST_CASE("extents that are not known become 1, and what follows from it is declared", "[zero_out_input]") {
  Model model = graph("x: f32[1,3]; z: f32[N,3]; h = Add(x, z); y = Relu(h)");
  zero_out_input("h", 1).run(model);
  CHECK(unsound(model).empty());
  CHECK(model.graph().find("h_zero_output_0")->constant()->dims() == Dims{1, 3});
  CHECK(to_string(model.proto().graph().output(0).type()) == "f32[1,3]");
}

TEST_CASE("scalars, integers and nodes in bodies", "[zero_out_input]") {
  Model scalar = graph("x: f32[2]; e: f32[]; y = Mul(x, e)");
  zero_out_input("y", 1).run(scalar);
  CHECK(unsound(scalar).empty());
  CHECK(isomorphic(graph("x: f32[2]; e: f32[]; o = Constant() {value=f32[] 0}; y = Mul(x, o)"), scalar));
  Model body = graph("x: i64[2]; c: bool[]; y = If(c) {then_branch={ t = Add(x, x) }, else_branch={ e = Neg(x) }}");
  zero_out_input("t", 0).run(body);
  CHECK(unsound(body).empty());
  CHECK(isomorphic(graph("x: i64[2]; c: bool[]; y = If(c) {then_branch={ o = Constant() {value=i64[2] 0}; t = Add(o, "
                         "x) "
                         "}, else_branch={ e = Neg(x) }}"),
                   body));
}

TEST_CASE("nodes of functions do not count", "[zero_out_input]") {
  onnx::ModelProto proto = graph("x: f32[2]; z: f32[2]; y = Add(x, z)").commit();
  onnx::FunctionProto& function = *proto.add_functions();
  function.set_domain("own");
  function.set_name("F");
  function.add_input("a");
  function.add_output("b");
  function.add_opset_import()->set_version(17);
  *function.add_node() = proto.graph().node(0);
  function.mutable_node(0)->set_name("inside");
  function.mutable_node(0)->set_input(0, "a");
  function.mutable_node(0)->set_input(1, "a");
  function.mutable_node(0)->set_output(0, "b");
  CHECK_THAT(refusal(Model(proto), zero_out_input("inside", 0)), Contains("no node of this name"));
  function.mutable_node(0)->set_name("y");
  Model model(proto);
  CHECK(zero_out_input("y", 0).run(model).changes == 1);
}

TEST_CASE("two that would be called alike, and nodes without a name", "[zero_out_input]") {
  onnx::ModelProto proto = graph("x: f32[2]; z: f32[2]; y = Add(x, z)").commit();
  proto.mutable_graph()->mutable_node(0)->clear_name();
  Model model(proto);
  CHECK(zero_out_input("Add(y)", 0).run(model).changes == 1);
  const Report report = zero_out_input("Add(y)", 1).run(model);
  INFO(report);
  CHECK(report.changes == 1);
  CHECK(unsound(model).empty());
  CHECK(model.graph().nodes().size() == 3);
}

TEST_CASE("inputs without known zeros stay, with a note", "[zero_out_input]") {
  CHECK_THAT(why_left("x: f32[2]; y = own::Op(own::Other(x))", "y", 0), Contains("not known"));
  CHECK_THAT(why_left("x: string[2]; y = Identity(x)", "y", 0), Contains("strings"));
  CHECK_THAT(why_left("x: f32[2]; y = Clip(x, _, f32[] 1)", "y", 1), Contains("does not have it"));
  CHECK_THAT(why_left("x: f32[N,3]; z: f32[4,3]; h = Concat(x, z) {axis=1}; y = Neg(h)", "h", 0), Contains("stays"));
  CHECK_THAT(refusal(graph("x: f32[2]; y = Neg(x)"), zero_out_input("z", 0)), Contains("no node of this name"));
}
