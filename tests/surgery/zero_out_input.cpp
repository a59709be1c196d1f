#include <graft/surgery/zero_out_input.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"

using namespace graft;
using Catch::Contains;

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
  CHECK_THAT(why_left("x: f32[2]; y = Clip(x, _, f32[] 1)", "y", 1), Contains("not given"));
  CHECK_THAT(why_left("x: f32[N,3]; z: f32[4,3]; h = Concat(x, z) {axis=1}; y = Neg(h)", "h", 0), Contains("stays"));
  CHECK_THAT(refusal(graph("x: f32[2]; y = Neg(x)"), zero_out_input("z", 0)), Contains("no node of this name"));
}
