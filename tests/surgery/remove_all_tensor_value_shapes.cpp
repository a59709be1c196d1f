#include <graft/surgery/remove_all_tensor_value_shapes.hpp>

#include <catch2/catch.hpp>
#include <graft/surgery/infer_shapes.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"

using namespace graft;

TEST_CASE("inner tensors keep their dtype and lose their shape", "[remove_all_tensor_value_shapes]") {
  const char* const text =
      "x: f32[2]; c: bool[]; h = Neg(x); s = SequenceConstruct(h, h); p = SequenceAt(s, i64[] 0); "
      "y = If(c) {then_branch={ t = Abs(Neg(p)) }, else_branch={ e = Sub(h, h) }}";
  Model model = graph(text);
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
