#include <graft/qonnx/cleanup/parameters.hpp>

#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("each use of an initializer gets a copy of its own, in bodies too", "[qonnx]") {
  Model model = graph(
      "x: f32[2]; c: bool[]; w = f32[2] {1, 2}; a = Add(x, w); b = Mul(w, w); d = Add(a, b);"
      "y = If(c) {then_branch={ t = Add(d, w) }, else_branch={ u = Sub(d, w) }}");
  const Trial trial = given(model).pass(qonnx::unique_parameters());
  CHECK(trial.equivalent());
  CHECK(trial.idempotent());
  CHECK(qonnx::unique_parameters().run(model).changes == 4);
  for (const Graph* const scope : model.scopes())
    for (const Value* const constant : scope->initializers()) CHECK(constant->use_count() == 1);
}

TEST_CASE("an output of the graph and what callers override stay what they are", "[qonnx]") {
  Model model = graph(
      "x: f32[2]; v: f32[2] = {1, 2}; w = f32[2] {3, 4}; a = Add(x, v); y = Mul(a, v);"
      "z = Mul(x, w); return y, z, w");
  CHECK(qonnx::unique_parameters().run(model).changes == 1);
  CHECK(model.graph().find("v")->use_count() == 2);
  CHECK(model.graph().find("w")->use_count() == 1);
  CHECK(model.graph().find("w")->is_graph_output());
}

TEST_CASE("constants become numbers of a fixed point", "[qonnx]") {
  double error = 0;
  bool is_clamped = false;
  const Pass pass =
      qonnx::fixed_point_parameters({.type = {6, 4}, .moved = [&](const Value&, double most, bool clamped) {
                                       error = most;
                                       is_clamped = clamped;
                                     }});
  CHECK(given("x: f32[4]; y = Add(x, f32[4] {0.3, -0.2, 9, -8.1})")
            .pass(pass)
            .becomes("x: f32[4]; y = Add(x, f32[4] {0.25, -0.25, 7.75, -8})"));
  CHECK(error == Approx(1.25));
  CHECK(is_clamped);
}

TEST_CASE("the rounding is the one asked for", "[qonnx]") {
  CHECK(given("x: f32[2]; y = Mul(x, f32[2] {0.3, -0.3})")
            .pass(qonnx::fixed_point_parameters({.type = {6, 4}, .rounding = qonnx::RoundingMode::floor}))
            .becomes("x: f32[2]; y = Mul(x, f32[2] {0.25, -0.5})"));
}

TEST_CASE("only chosen constants change, and only where they are chosen", "[qonnx]") {
  const std::string text =
      "x: f32[2]; w = f32[2] {0.3, 0.4}; v = f32[2] {0.3, 0.4}; y = Sub(Add(x, w), w); z = Sub(x, v)";
  CHECK(given(text)
            .pass(qonnx::fixed_point_parameters({.type = {6, 4}}))
            .becomes("x: f32[2]; w = f32[2] {0.3, 0.4}; y = Sub(Add(x, f32[2] {0.25, 0.5}), w);"
                     "z = Sub(x, f32[2] {0.3, 0.4})"));
  CHECK(given(text)
            .pass(qonnx::fixed_point_parameters({.type = {6, 4}, .names = {"v"}}))
            .becomes("x: f32[2]; w = f32[2] {0.3, 0.4}; y = Sub(Add(x, w), w); z = Sub(x, f32[2] {0.25, 0.5})"));
}

TEST_CASE("a width that float32 does not hold is an error", "[qonnx]") {
  CHECK_THROWS_WITH(qonnx::fixed_point_parameters({.type = {32, 8}}), Catch::Contains("24 bits"));
}

TEST_CASE("a point that float32 does not reach is an error", "[qonnx]") {
  CHECK_THROWS_WITH(qonnx::fixed_point_parameters({.type = {8, -119}}), Catch::Contains("does not hold"));
  CHECK_NOTHROW(qonnx::fixed_point_parameters({.type = {8, -118}}));
  CHECK_THROWS_WITH(qonnx::fixed_point_parameters({.type = {8, 9}}), Catch::Contains("before the point"));
}
