#include <graft/graph/dot.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

using namespace graft;
using Catch::Matchers::Contains;

TEST_CASE("a drawn graph has its nodes, its inputs and outputs, and edges with types") {
  Builder b(17);
  Value& x = b.input("a \"quoted\" name", DType::f32, {1, "N"});
  b.output(b.op("Relu", {&x}), "y");
  const Model model = b.build();
  const std::string text = to_dot(model.graph());
  CHECK_THAT(text, Contains("digraph \"graph\" {"));
  CHECK_THAT(text, Contains("n0 [shape=oval, label=\"a \\\"quoted\\\" name\"]"));
  CHECK_THAT(text, Contains("n1 [label=\"Relu"));
  CHECK_THAT(text, Contains("n0 -> n1 [label=\"f32[1,N]\"]"));
  CHECK_THAT(text, Contains("label=\"y\""));
}
