#include <graft/graph/build.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a built model is the one that was written") {
  Builder b(17, "net");
  b.import("com.microsoft", 1);
  Value& x = b.input("x", DType::f32, {1, "N"});
  Value& w = b.constant("w", Tensor::of<float>({2}, {1, 2}));
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
