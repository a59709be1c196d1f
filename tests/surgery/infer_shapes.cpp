#include <graft/surgery/infer_shapes.hpp>

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
  proto.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)
      ->set_dim_value(5);
  Model wrong(proto);
  const Report report = infer_shapes().run(wrong);
  CHECK(report.notes.empty());
  CHECK(report.warnings == std::vector<std::string>{"'y' is declared as f32[5], but f32[2] follows for it"});
  CHECK(declared(wrong.commit().graph(), "y") == "f32[2]");
}

TEST_CASE("extents of which nothing is known can be told by their symbols", "[infer_shapes]") {
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
  context.shape_functions["own::Twice"] = [](InferContext& node) {
    node.set(0, node.dtype(0), Shape(std::vector<Dim>{4}));
    return Verdict::yes();
  };
  infer_shapes().run(model, context);
  CHECK(declared(model.commit().graph(), "y") == "f32[4]");
}

TEST_CASE("an input whose type is there and says nothing stays without one", "[infer_shapes]") {
  onnx::ModelProto proto = graph("x: f32[2]; y = Neg(x)").commit();
  onnx::TypeProto& type = *proto.mutable_graph()->mutable_input(0)->mutable_type();
  type.Clear();
  Model model(std::move(proto));
  infer_shapes().run(model);
  CHECK(infer_shapes().run(model).changes == 0);
  CHECK(model.commit().graph().input(0).type().value_case() == onnx::TypeProto::VALUE_NOT_SET);
}
