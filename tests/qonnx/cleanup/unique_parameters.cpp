#include <graft/qonnx/cleanup/unique_parameters.hpp>

#include <set>
#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("each use of an initializer gets a copy of its own, in bodies too", "[qonnx]") {
  Model model = graph("x: f32[2]; c: bool[]; w = f32[2] {1, 2}; a = Add(x, w); b = Mul(w, w); d = Add(a, b);"
                      "y = If(c) {then_branch={ t = Add(d, w) }, else_branch={ u = Sub(d, w) }}");
  const Trial trial = given(model).pass(qonnx::unique_parameters());
  CHECK(trial.equivalent());
  CHECK(trial.idempotent());
  CHECK(qonnx::unique_parameters().run(model).changes == 4);
  for (const Graph* const scope : model.scopes())
    for (const Value* const constant : scope->initializers()) CHECK(constant->use_count() == 1);
}

TEST_CASE("an output of the graph and what callers override stay what they are", "[qonnx]") {
  Model model = graph("x: f32[2]; v: f32[2] = {1, 2}; w = f32[2] {3, 4}; a = Add(x, v); y = Mul(a, v);"
                      "z = Mul(x, w); return y, z, w");
  CHECK(qonnx::unique_parameters().run(model).changes == 1);
  CHECK(model.graph().find("v")->use_count() == 2);
  CHECK(model.graph().find("w")->use_count() == 1);
  CHECK(model.graph().find("w")->is_graph_output());
}
