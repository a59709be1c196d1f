#include <graft/lower/four_d/movement.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "lower/four_d/same_elements.hpp"

using namespace graft;

TEST_CASE("what was flattened becomes a row of rank 4") {
  CHECK(given("x: f32[2,3,4]; y = Flatten(x) {axis=2}")
            .pass(flatten_to_reshape())
            .changes_signature()
            .becomes("x: f32[2,3,4]; y = Reshape(x, i64[4] {1,1,1,-1})"));
  CHECK(same_elements("x: f32[2,3,4]; y = Flatten(Relu(x))", flatten_to_reshape(), 0));
}

TEST_CASE("the dims of an output that was flattened follow, and names are unique") {
  Model model = graph("x: f32[2,3,4]; y = Flatten(x); z = Flatten(x) {axis=0}");
  for (Node& node : model.graph().nodes()) model.graph().rename(node, "");
  CHECK(flatten_to_reshape().run(model).changes == 2);
  CHECK(verify(model).empty());
  CHECK(model.graph().output(0)->name() == "y");
  CHECK(model.graph().output(0)->shape().dims() == Dims{1, 1, 1, 24});
}

TEST_CASE("Flatten becomes Reshape in older opsets") {
  CHECK(given("opset 9; x: f32[2,3,4]; y = Flatten(x)")
            .pass(flatten_to_reshape())
            .changes_signature()
            .becomes("opset 9; x: f32[2,3,4]; y = Reshape(x, i64[4] {1,1,1,-1})"));
  CHECK(given("opset 4; x: f32[2,3,4]; y = Flatten(x)").pass(flatten_to_reshape()).run().problems.empty());
}

TEST_CASE("readers of a flattened value wait for another surgery, unless one is an output") {
  const std::string text = "x: f32[1,2,3]; h = Flatten(x); y = Gemm(h, f32[6,2] random)";
  const Run run = given(text).pass(flatten_to_reshape()).run();
  CHECK(run.changed);
  CHECK(run.problems.empty());
  CHECK(given(text + "; return h, y").pass(flatten_to_reshape()).refuses("would differ from its declaration"));
}
