#include <graft/rewrite/on_typed_graph.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

void erase_gelu(Graph& graph, Context&) {
  for (Node& node : graph.nodes())
    if (node.is("com.microsoft::Gelu") && graph.replace_uses(*node.output(0), *node.input(0))) graph.erase(node);
}

}  // namespace

TEST_CASE("a pass on a typed graph knows types that the model does not declare") {
  Model model(graph("x: f32[2,3]; h = Neg(x); y = Abs(h)").commit());
  model.graph().set_type(*model.graph().find("h"), onnx::TypeProto());
  DType seen = DType::undefined;
  const Pass look = pass("look", [&](Graph& graph, Context&) { seen = graph.find("h")->dtype(); });
  CHECK(on_typed_graph("named", look).name() == "named");
  on_typed_graph("named", look).run(model);
  CHECK(seen == DType::f32);
}

TEST_CASE("the import of com.microsoft goes if the pass left no node of it") {
  Model model = graph("x: f32[2]; y = Neg(com.microsoft::Gelu(x))");
  const Pass nothing = pass("nothing", [](Graph&, Context&) { return Report(); });
  on_typed_graph("nothing", nothing).run(model);
  CHECK(model.opset("com.microsoft") == 1);
  on_typed_graph("erase", pass("erase", erase_gelu)).run(model);
  CHECK(model.opset("com.microsoft") == 0);
}
