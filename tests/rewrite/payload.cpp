#include <graft/rewrite/payload.hpp>

#include <cstddef>
#include <span>
#include <utility>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("a payload has the bodies as they are now, with the substitutes of captured values") {
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

TEST_CASE("a copy of nodes has fresh names, their types, and no initializer that nothing uses") {
  Model model = graph("x: f32[2]; y = Neg(x)"), source = graph(R"(
      a: f32[2]; b: f32[2]; w = f32[2] 1; unused = f32[2] 2; y = Add(Clip(a, _, b), w); return y)");
  Graph& scope = model.graph();
  Graph& from = source.graph();
  detail::Substitution substitution{{from.find("a"), scope.find("x")}, {from.find("b"), nullptr}};
  detail::copy_nodes(from, scope, substitution,
                     [&](onnx::NodeProto payload, std::span<Value* const> inputs, std::size_t outputs) -> Node& {
                       return scope.insert(std::move(payload), inputs, outputs);
                     });
  REQUIRE(scope.nodes().size() == 3);
  CHECK(scope.initializers().size() == 1);
  Value& copy = *detail::substituted(from.find("y"), substitution);
  REQUIRE(&copy.graph() == &scope);
  CHECK(copy.name() != "y");
  CHECK(copy.dtype() == DType::f32);
  const Node& clip = *copy.producer()->input(0)->producer();
  CHECK(clip.input(0) == scope.find("x"));
  CHECK(clip.input(2) == nullptr);

  Value& old = *scope.output(0);
  detail::hand_over_outputs(old, copy);
  CHECK(scope.output(0) == &copy);
  CHECK(copy.name() == "y");
  CHECK(old.name() != "y");
}
