#include <graft/surgery/freeze_inputs.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("inputs with an initializer become constants") {
  Model model = graph("x: f32[2]; w: f32[2] = 3; y = Add(x, w)");
  CHECK(freeze_inputs().run(model).changes == 1);
  CHECK(model.graph().find("w")->is_constant());
  REQUIRE(model.commit().graph().input_size() == 1);
  CHECK(model.proto().graph().input(0).name() == "x");
  CHECK(model.proto().graph().initializer(0).name() == "w");
}

TEST_CASE("below IR 4 they are constants already") {
  Model model = graph("ir 3; opset 8; x: f32[2]; w: f32[2] = 3; y = Add(x, w)");
  const Report report = freeze_inputs().run(model);
  CHECK(report.changes == 0);
  CHECK(report.notes.size() == 1);
  CHECK(model.commit().graph().input_size() == 2);
}

TEST_CASE("wherever they stand among the inputs, and where they are outputs as well") {
  Model model = graph("v: f32[2] = 1; x: f32[2]; w: f32[2] = 3; z: f32[2]; y = Sum(v, x, w, z); return y, w");
  CHECK(freeze_inputs().run(model).changes == 2);
  CHECK(isomorphic(graph("v = f32[2] 1; w = f32[2] 3; x: f32[2]; z: f32[2]; y = Sum(v, x, w, z); return y, w"), model));
  CHECK(freeze_inputs().run(model).changes == 0);
}
