#include <graft/lower/four_d/inputs.hpp>

#include <string>
#include <utility>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Trial widened(const std::string& text, FourDInputs how = {}) {
  return given(text).pass(four_d_model_inputs(std::move(how)));
}

}  // namespace

TEST_CASE("inputs of rank 2 and 3 are read as 4-D by all nodes") {
  CHECK(widened("x: f32[8,16]; y = Relu(x); z = Neg(x)")
            .becomes("x: f32[8,16]; u = Unsqueeze(x, i64[2] {0,-1}); y = Relu(u); z = Neg(u)"));
  CHECK(widened("x: f32[8,16,32]; y = Add(x, x)")
            .becomes("x: f32[8,16,32]; u = Unsqueeze(x, i64[1] {1}); y = Add(u, u)"));
  CHECK(widened("opset 11; x: f32[8,16,32]; y = Relu(x)")
            .becomes("opset 11; x: f32[8,16,32]; y = Relu(Unsqueeze(x) {axes=[1]})"));
  CHECK(widened("x: f32[8,16,32]; y = Relu(x)").idempotent());
  CHECK(widened("x: f32[8,16]; y = Relu(x)", {.axes_of_rank_2 = {0, 1}})
            .becomes("x: f32[8,16]; y = Relu(Unsqueeze(x, i64[2] {0,1}))"));
}

TEST_CASE("four_d_model_inputs keeps declared outputs, and declares no inner values") {
  const Run run = widened("x: f32[8,16,32]; h = Relu(x) : f32[8,16,32]; y = Neg(h)").run();
  CHECK(run.problems.empty());
  CHECK(run.model.graph().inputs()[0]->shape().dims() == Dims{8, 16, 32});
  CHECK(run.model.graph().output(0)->shape().dims() == Dims{8, 16, 32});
  CHECK(!run.model.proto().graph().value_info(0).type().tensor_type().has_shape());
}

TEST_CASE("an Unsqueeze that makes an input 4-D serves the others, another one gets the axes") {
  CHECK(widened("x: f32[8,16]; a = Relu(x); y = Add(Unsqueeze(x, i64[2] {0,1}), a)")
            .becomes("x: f32[8,16]; u = Unsqueeze(x, i64[2] {0,1}); a = Relu(u); y = Add(u, a)"));
  CHECK(widened("a = i64[1] 0; x: f32[8,16]; z: f32[3]; y = Relu(Unsqueeze(x, a)); v = Unsqueeze(z, a)")
            .becomes("a = i64[1] 0; x: f32[8,16]; z: f32[3]; y = Relu(Unsqueeze(x, i64[2] {0,-1}));"
                     "v = Unsqueeze(z, a)"));
  CHECK(widened("x: f32[8,16]; y = Relu(Unsqueeze(x, i64[2] {0,1}))").refuses("already"));
}

TEST_CASE("a body reads an input behind the Unsqueeze too") {
  CHECK(widened("c: bool[]; x: f32[2,4,5]; y = If(c) {then_branch={ t = Relu(x); return t },"
                "else_branch={ e = Neg(x); return e }}")
            .becomes("c: bool[]; x: f32[2,4,5]; u = Unsqueeze(x, i64[1] 1);"
                     "y = If(c) {then_branch={ t = Relu(u); return t }, else_branch={ e = Neg(u); return e }}"));
}

TEST_CASE("a body hands out an input behind the Unsqueeze too") {
  CHECK(widened("c: bool[]; x: f32[2,4,5]; h = If(c) {then_branch={ return x }, else_branch={ e = Neg(x); return e }};"
                "y = Relu(h)")
            .becomes("c: bool[]; x: f32[2,4,5]; u = Unsqueeze(x, i64[1] 1);"
                     "h = If(c) {then_branch={ return u }, else_branch={ e = Neg(u); return e }}; y = Relu(h)"));
}

TEST_CASE("inputs that cannot become 4-D stay") {
  CHECK(widened("x: f32[1,2,3,4]; y = Relu(x)").refuses("not of rank 2 or 3"));
  CHECK(widened("x: f32; y = Relu(x)").refuses("not of rank 2 or 3"));
  CHECK(widened("x: f32[2,3] = 1; z: f32[2]; y = Add(x, z)").refuses("default"));
  CHECK(widened("x: f32[2,3]; z: f32[2]; y = Relu(z)").refuses("no node reads it"));
  CHECK(widened("x: f32[2,3]; z: f32[2,3]; y = Add(x, z)", {.names = {"z"}})
            .becomes("x: f32[2,3]; z: f32[2,3]; y = Add(x, Unsqueeze(z, i64[2] {0,-1}))"));
}

TEST_CASE("four_d_model_inputs throws for names and axes that are wrong") {
  CHECK(widened("x: f32[2,3]; y = Relu(x)", {.names = {"z"}}).refuses("no input of the graph has this name"));
  CHECK(widened("x: f32[2,3]; y = Relu(x)", {.axes_of_rank_2 = {0}}).refuses("does not become rank 4"));
  CHECK(widened("x: f32[2,3]; y = Relu(x)", {.axes_of_rank_3 = {4}}).refuses("does not become rank 4"));
  CHECK(widened("x: f32[2,3]; y = Relu(x)", {.axes_of_rank_2 = {3, -1}}).refuses("does not become rank 4"));
}
