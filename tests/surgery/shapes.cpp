#include <graft/surgery/shapes.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>
#include "sound.hpp"

using namespace graft;
using Catch::Contains;

namespace {

/// As an exporter writes it that knows the inputs only.
Model without_types(const std::string& text) {
  onnx::ModelProto proto = graph(text).commit();
  proto.mutable_graph()->clear_value_info();
  for (onnx::ValueInfoProto& output : *proto.mutable_graph()->mutable_output()) output.clear_type();
  for (onnx::NodeProto& node : *proto.mutable_graph()->mutable_node())
    for (onnx::AttributeProto& attribute : *node.mutable_attribute())
      if (attribute.has_g())
        for (onnx::ValueInfoProto& output : *attribute.mutable_g()->mutable_output()) output.clear_type();
  return Model(std::move(proto));
}

std::string declared(const onnx::GraphProto& proto, const std::string& name) {
  for (const auto& info : proto.value_info())
    if (info.name() == name) return to_string(info.type());
  for (const auto& info : proto.output())
    if (info.name() == name) return to_string(info.type());
  return "";
}

}  // namespace

TEST_CASE("inner values and outputs are declared", "[infer_shapes]") {
  Model model = without_types("x: f32[N,3]; h = MatMul(x, f32[3,4] random); y = Relu(h); a = ArgMax(h) {axis=1}");
  CHECK(infer_shapes().run(model).changes == 3);
  CHECK(unsound(model).empty());
  CHECK(declared(model.proto().graph(), "h") == "f32[N,4]");
  CHECK(declared(model.proto().graph(), "y") == "f32[N,4]");
  CHECK(declared(model.proto().graph(), "a") == "i64[N,1]");
  CHECK(model.proto().graph().value_info_size() == 1);
  CHECK(infer_shapes().run(model).changes == 0);
}

TEST_CASE("those of bodies are, too", "[infer_shapes]") {
  Model model = without_types(
      "x: f32[2]; c: bool[]; y = If(c) {then_branch={ s = Neg(x); t = Abs(s) }, else_branch={ e = Sub(x, x) }}");
  infer_shapes().run(model);
  CHECK(unsound(model).empty());
  const onnx::GraphProto& branch = model.proto().graph().node(0).attribute(0).g();
  CHECK(declared(branch, "s") == "f32[2]");
  CHECK(declared(branch, "t") == "f32[2]");
  CHECK(declared(model.proto().graph(), "y") == "f32[2]");
}

TEST_CASE("what is declared is filled in, and replaced where it is contradicted", "[infer_shapes]") {
  Model model = graph("x: f32[2,3]; h = Neg(x) : f32[?,3]; y = Abs(h) : f32[2,3]");
  infer_shapes().run(model);
  CHECK(declared(model.commit().graph(), "h") == "f32[2,3]");

  onnx::ModelProto proto = graph("x: f32[2]; y = Neg(x)").commit();
  proto.mutable_graph()
      ->mutable_output(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(5);
  Model wrong(proto);
  const Report report = infer_shapes().run(wrong);
  CHECK(report.notes.empty());
  CHECK(report.warnings == std::vector<std::string>{"'y' is declared as f32[5], but f32[2] is inferred"});
  CHECK(declared(wrong.commit().graph(), "y") == "f32[2]");
}

TEST_CASE("unknown extents are distinguished by their symbols", "[infer_shapes]") {
  Model model = without_types("x: f32[?]; y = Neg(x); z = NonZero(x)");
  infer_shapes().run(model);
  const onnx::GraphProto& proto = model.commit().graph();
  CHECK(declared(proto, "y") == to_string(proto.input(0).type()));
  CHECK_THAT(declared(proto, "y"), Contains("unk__"));
  CHECK_THAT(declared(proto, "z"), Contains("i64[1,unk__"));
}

TEST_CASE("operators of a user's own are inferred by the functions of the Context", "[infer_shapes]") {
  Model model = without_types("x: f32[2]; h = own::Twice(x); y = Neg(h)");
  Context context;
  context.operators.add("own::Twice", {.shape = [](InferContext& node) {
    node.set(0, node.dtype(0), Shape(std::vector<Dim>{4}));
    return Verdict::yes();
  }});
  infer_shapes().run(model, context);
  CHECK(declared(model.commit().graph(), "y") == "f32[4]");
}

TEST_CASE("an input with an empty type stays without one", "[infer_shapes]") {
  onnx::ModelProto proto = graph("x: f32[2]; y = Neg(x)").commit();
  onnx::TypeProto& type = *proto.mutable_graph()->mutable_input(0)->mutable_type();
  type.Clear();
  Model model(std::move(proto));
  infer_shapes().run(model);
  CHECK(infer_shapes().run(model).changes == 0);
  CHECK(model.commit().graph().input(0).type().value_case() == onnx::TypeProto::VALUE_NOT_SET);
}

TEST_CASE("a dim is a number wherever it stands, and what follows is declared", "[fix_dim]") {
  Model model = graph(
      "x: f32[N,S,8]; m: bool[N,S]; h = Reshape(x, i64[2] {-1,8}); y = MatMul(h, f32[8,2] random); "
      "z = Not(m); return y, z");
  fix_dim("N", 4).run(model);
  fix_dim("S", 16).run(model);
  CHECK(unsound(model).empty());
  const onnx::GraphProto& proto = model.proto().graph();
  CHECK(to_string(proto.input(0).type()) == "f32[4,16,8]");
  CHECK(to_string(proto.input(1).type()) == "bool[4,16]");
  CHECK(to_string(proto.output(0).type()) == "f32[64,2]");
  CHECK(to_string(proto.output(1).type()) == "bool[4,16]");
}

TEST_CASE("value_info follows, in bodies too, and expressions are found again", "[fix_dim]") {
  onnx::ModelProto written = graph(
                                 "x: f32[N]; c: bool[]; h = Concat(x, x) {axis=0} : f32[M]; y = If(c) {then_branch={ "
                                 "s = Neg(h); t = Abs(s) : f32[M] }, else_branch={ e = Neg(h) }}; return y")
                                 .commit();
  written.mutable_graph()
      ->mutable_value_info(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_param("2*N");
  Model model(written);
  fix_dim("N", 4).run(model);
  CHECK(unsound(model).empty());
  CHECK(to_string(model.proto().graph().value_info(0).type()) == "f32[8]");
  CHECK(to_string(model.proto().graph().output(0).type()) == "f32[8]");
}

TEST_CASE("an expression that nothing follows for is not known any more", "[fix_dim]") {
  onnx::ModelProto written = graph("x: f32[N]; y = own::Op(x) : f32[K]").commit();
  written.mutable_graph()
      ->mutable_output(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_param("2*N");
  Model model(written);
  fix_dim("N", 4).run(model);
  CHECK(to_string(model.commit().graph().output(0).type()) == "f32[?]");
}

TEST_CASE("a number that the model does not take is an error", "[fix_dim]") {
  const std::string text = "x: f32[N,3]; w: f32[M,3]; k = f32[5,3] random; y = Add(x, k); z = Neg(w); return y, z";
  CHECK_THAT(refusal(graph(text), fix_dim("N", 4)), Contains("N: cannot be 4: node 'y'"));
  CHECK(refusal(graph(text), fix_dim("N", 5)).empty());
  CHECK(refusal(graph(text), fix_dim("N", 1)).empty());
  CHECK_THAT(refusal(graph(text), fix_dim("N", -1)), Contains("is negative"));
  CHECK_THAT(refusal(graph(text), fix_dim("Q", 1)), Contains("Q: no dim"));
}

namespace {

const std::string text =
    "x: f32[2]; c: bool[]; h = Neg(x); y = If(c) {then_branch={ s = Neg(h); t = Abs(s) }, "
    "else_branch={ e = Sub(h, h) }}";

}  // namespace

TEST_CASE("no inner value is declared any more, in bodies neither", "[remove_shapes]") {
  Model model = graph(text);
  infer_shapes().run(model);
  model.commit();
  REQUIRE(model.proto().graph().value_info_size() == 1);
  REQUIRE(model.proto().graph().node(1).attribute(0).g().value_info_size() == 1);
  CHECK(remove_shapes().run(model).changes == 2);
  model.commit();
  CHECK(model.proto().graph().value_info_size() == 0);
  CHECK(model.proto().graph().node(1).attribute(0).g().value_info_size() == 0);
  CHECK(model.proto().graph().output(0).type().tensor_type().shape().dim_size() == 1);
  CHECK(model.proto().graph().node(1).attribute(0).g().output(0).has_type());
  CHECK(unsound(model).empty());
  CHECK(isomorphic(graph(text), model));
  CHECK(remove_shapes().run(model).changes == 0);
}

TEST_CASE("what was declared and not yet written is not written", "[remove_shapes]") {
  Model model = graph(text);
  (infer_shapes() | remove_shapes()).run(model);
  infer_shapes(model.graph());  // what a view knows by itself is not written either
  CHECK(model.commit().graph().value_info_size() == 0);
  infer_shapes().run(model);
  CHECK(model.commit().graph().value_info_size() == 1);
}

TEST_CASE("inner tensors keep their dtype and lose their shape", "[remove_all_tensor_value_shapes]") {
  const char* const sequence =
      "x: f32[2]; c: bool[]; h = Neg(x); s = SequenceConstruct(h, h); p = SequenceAt(s, i64[] 0); "
      "y = If(c) {then_branch={ t = Abs(Neg(p)) }, else_branch={ e = Sub(h, h) }}";
  Model model = graph(sequence);
  infer_shapes().run(model);
  model.commit();
  CHECK(remove_all_tensor_value_shapes().run(model).changes >= 3);
  model.commit();
  REQUIRE(model.proto().graph().value_info_size() == 3);
  for (const onnx::ValueInfoProto& info : model.proto().graph().value_info()) {
    INFO(info.name());
    CHECK(to_string(info.type()) == (info.name() == "s" ? "sequence(f32[2])" : "f32"));
  }
  const onnx::GraphProto& branch = model.proto().graph().node(3).attribute(0).g();
  REQUIRE(branch.value_info_size() == 1);
  CHECK(to_string(branch.value_info(0).type()) == "f32");
  CHECK(to_string(branch.output(0).type()) == "f32[2]");
  CHECK(to_string(model.proto().graph().output(0).type()) == "f32[2]");
  CHECK(unsound(model).empty());
  CHECK(remove_all_tensor_value_shapes().run(model).changes == 0);
}

TEST_CASE("a shape that was not written yet is not written, and nothing new is declared",
          "[remove_all_tensor_value_shapes]") {
  Model model = graph("x: f32[2]; h = Neg(x); y = Abs(h)");
  model.graph().declare_type(*model.graph().find("h"), tensor_type(DType::f32, Shape(std::vector<Dim>{2})));
  remove_all_tensor_value_shapes().run(model);
  REQUIRE(model.commit().graph().value_info_size() == 1);
  CHECK(to_string(model.proto().graph().value_info(0).type()) == "f32");

  onnx::ModelProto bare = graph("x: f32[2]; h = Neg(x); y = Abs(h)").commit();
  bare.mutable_graph()->clear_value_info();
  Model inferred(bare);
  infer_shapes(inferred.graph());
  remove_all_tensor_value_shapes().run(inferred);
  CHECK(inferred.commit().graph().value_info_size() == 0);
}
