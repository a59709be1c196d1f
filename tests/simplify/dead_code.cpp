#include <graft/simplify/dead_code.hpp>

#include <initializer_list>
#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("nodes and initializers that nothing uses go, in bodies too") {
  CHECK(given("x: f32[2]; w = f32[2] 1; a = Add(x, w); b = Neg(a); y = Relu(x); return y")
            .pass(eliminate_dead_code())
            .becomes("x: f32[2]; y = Relu(x)"));
  CHECK(given("x: f32[2]; c: bool[]; h = Neg(x); y = If(c) {then_branch={ d = Exp(h); t = Abs(x); return t }, "
              "else_branch={ u = Relu(x) }}; return y")
            .pass(eliminate_dead_code())
            .becomes("x: f32[2]; c: bool[]; y = If(c) {then_branch={ t = Abs(x) }, else_branch={ u = Relu(x) }}"));
}

TEST_CASE("a scale that only an annotation names stays, and the annotation with it") {
  onnx::ModelProto proto = graph("x: f32[2]; s = f32[] 1; dead = f32[] 1; y = Relu(x)").commit();
  onnx::TensorAnnotation& annotation = *proto.mutable_graph()->add_quantization_annotation();
  annotation.set_tensor_name("y");
  onnx::StringStringEntryProto& parameter = *annotation.add_quant_parameter_tensor_names();
  parameter.set_key("SCALE_TENSOR");
  parameter.set_value("s");
  Model model(proto);
  CHECK(eliminate_dead_code().run(model).changes == 1);
  CHECK(model.commit().graph().initializer_size() == 1);
  CHECK(model.commit().graph().quantization_annotation_size() == 1);
}

TEST_CASE("a tensor that only its annotation names goes, and the annotation with its parameters") {
  onnx::ModelProto proto = graph("x: f32[2]; w = f32[2] 1; s = f32[] 1; t = f32[] 2; y = Relu(x)").commit();
  const auto annotate = [&](const char* tensor, std::initializer_list<const char*> parameters) {
    onnx::TensorAnnotation& annotation = *proto.mutable_graph()->add_quantization_annotation();
    annotation.set_tensor_name(tensor);
    for (const char* const each : parameters) annotation.add_quant_parameter_tensor_names()->set_value(each);
  };
  annotate("w", {"s", "t"});
  annotate("y", {"s"});
  Model model(proto);
  CHECK(eliminate_dead_code().run(model).changes == 2);
  CHECK(model.commit().graph().initializer_size() == 1);
  REQUIRE(model.commit().graph().quantization_annotation_size() == 1);
  CHECK(model.commit().graph().quantization_annotation(0).tensor_name() == "y");
}

TEST_CASE("graph inputs stay") {
  const char* const text = "x: f32[2]; unused: f32[2]; overridable: f32[2] = 1; y = Relu(x)";
  CHECK(given(text).pass(eliminate_dead_code()).becomes(text));
}

TEST_CASE("optional outputs that nothing uses are omitted") {
  const std::string head = "x: f32[1,2,4,4]; ";
  Model model = graph(head + "y, i = MaxPool(x) {kernel_shape=[2,2]}; a, b = Split(x) {axis=1}; return y, a");
  CHECK(eliminate_dead_code().run(model).changes == 1);
  CHECK(model.graph().find("i") == nullptr);
  CHECK(model.graph().find("b") != nullptr);  // the number of parts says how large they are
  CHECK(eliminate_dead_code().run(model).changes == 0);
}

TEST_CASE("BatchNormalization in training keeps its outputs") {
  for (const char* const mode : {"1", "0"}) {
    Model model = graph(std::string("x: f32[2,3]; s = f32[3] 1; ") +
                        "y, m, v = BatchNormalization(x, s, s, s, s) {training_mode=" + mode + "}; return y");
    const bool trains = mode == std::string("1");
    CHECK(eliminate_dead_code().run(model).changes == (trains ? 0 : 2));
    for (const char* const name : {"m", "v"}) CHECK((model.graph().find(name) != nullptr) == trains);
  }
}

TEST_CASE("dead nodes, dead initializers and dead defaults go by themselves") {
  const char* const text = "x: f32[2]; o: f32[2] = 1; w = f32[2] 1; v = f32[2] 2; d = Add(x, w); y = Relu(x); return y";
  CHECK(given(text)
            .pass(eliminate_dead_code({.initializers = false}))
            .becomes("x: f32[2]; o: f32[2] = 1; w = f32[2] 1; v = f32[2] 2; y = Relu(x)"));
  CHECK(given(text)
            .pass(eliminate_dead_code({.nodes = false}))
            .becomes("x: f32[2]; o: f32[2] = 1; w = f32[2] 1; d = Add(x, w); y = Relu(x); return y"));
  CHECK(given(text)
            .pass(eliminate_dead_code({.overridable = true}))
            .changes_signature()
            .becomes("x: f32[2]; y = Relu(x)"));
}

TEST_CASE("eliminate_dead_code through all variants") {
  const VariantReport report =
      variants(eliminate_dead_code(), "x: f32[2,N]; w = f32[2,1] 3; d = Mul(x, w); e = Exp(d); y = Neg(x); return y");
  CHECK(report);
  CHECK(report.find("%e as a graph output")->outcome == Variant::Outcome::refused);
}
