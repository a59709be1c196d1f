#include <graft/graph/build.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a built model is the one that was written") {
  Builder b(17, "net");
  b.import("com.microsoft", 1);
  Value& x = b.input("x", DType::f32, {1, "N"});
  Value& w = b.constant(Tensor::of<float>({2}, {1, 2}), "w");
  b.output(b.op("com.microsoft::Gelu", {&b.op("Add", {&x, &w})}), "y");
  const Model model = b.build();
  const onnx::GraphProto& graph = model.proto().graph();
  CHECK(graph.name() == "net");
  CHECK(graph.input(0).type().tensor_type().shape().dim(1).dim_param() == "N");
  CHECK(graph.initializer(0).name() == "w");
  CHECK(graph.node(1).domain() == "com.microsoft");
  CHECK(graph.node(1).input(0) == graph.node(0).output(0));
  CHECK(graph.output(0).name() == "y");
  CHECK(model.opset("com.microsoft") == 1);
}

TEST_CASE("types are inferred, and those of the outputs declared") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {1, 3, "H", 8});
  Value& h = b.op("Transpose", {&x}, {{"perm", Ints{0, 2, 3, 1}}});
  b.output(b.op("Relu", {&h}), "y");
  const Model model = b.build();
  CHECK(to_string(model.graph().first_node()->output(0)->shape()) == "[1,H,8,3]");
  const onnx::TypeProto& type = model.proto().graph().output(0).type();
  CHECK(type.tensor_type().elem_type() == onnx::TensorProto::FLOAT);
  CHECK(type.tensor_type().shape().dim(1).dim_param() == "H");
  CHECK(model.proto().graph().value_info_size() == 0);
}

TEST_CASE("a builder that has built says so") {
  Builder b(17);
  b.output(b.op("Relu", {&b.input("x", DType::f32, {1})}), "y");
  const Model model = b.build();
  CHECK_THROWS_WITH(b.input("z", DType::f32), Catch::Contains("has already built its model"));
  CHECK_THROWS_WITH(b.build(), Catch::Contains("has already built its model"));
  CHECK(model.graph().nodes().begin()->op_type() == "Relu");
}

TEST_CASE("a value of another builder is refused") {
  Builder b(17), other(17);
  Value& foreign = other.input("x", DType::f32, {1});
  CHECK_THROWS_WITH(b.op("Relu", {&foreign}), "x: is a value of another graph");
  CHECK_THROWS_WITH(b.output(foreign), "x: is a value of another graph");
}
