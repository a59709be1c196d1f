#include <graft/rewrite/payload.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("a payload has the bodies as they are now, with what stands for captured values") {
  Model model = graph("x: f32[2]; z: f32[2]; c: bool[];"
                      "y = If(c) {then_branch={ t = Neg(x) }, else_branch={ u = Abs(x) }}; return y, z");
  Graph& scope = model.graph();
  Node& branches = *scope.first_node();
  Graph& inside = *branches.body("then_branch");
  inside.rename(*inside.output(0), "renamed");
  const onnx::NodeProto payload = detail::payload_of(branches, {{scope.find("x"), scope.find("z")}});
  REQUIRE(payload.attribute_size() == 2);
  const onnx::GraphProto& body = payload.attribute(0).g();
  REQUIRE(body.node_size() == 1);
  CHECK(body.node(0).input(0) == "z");
  CHECK(body.node(0).output(0) == "renamed");
  CHECK(body.output(0).name() == "renamed");
}
