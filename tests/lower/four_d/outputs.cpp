#include <graft/lower/four_d/outputs.hpp>

#include <string>
#include <utility>

#include <catch2/catch.hpp>
#include <graft/lower/four_d/inputs.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

/// Of inputs that are 4-D since a moment ago.
Trial narrowed(const std::string& text, FourDInputs how = {}) {
  return given(text).pass(four_d_model_inputs(std::move(how)) | four_d_model_outputs());
}

}  // namespace

TEST_CASE("outputs are squeezed to what they are declared as") {
  CHECK(narrowed("x: f32[8,16,32]; y = Relu(x)")
            .becomes("x: f32[8,16,32]; a = i64[1] 1; y = Squeeze(Relu(Unsqueeze(x, i64[1] 1)), a)"));
  CHECK(narrowed("x: f32[8,16,32]; y = Relu(x)").equivalent());
  CHECK(narrowed("x: f32[8,16]; y = Relu(x)").equivalent());
  CHECK(narrowed("x: f32[8,16]; y = Relu(x)", {.axes_of_rank_2 = {0, 1}})
            .becomes("x: f32[8,16]; a = i64[2] {0,1}; y = Squeeze(Relu(Unsqueeze(x, i64[2] {0,1})), a)"));
  CHECK(narrowed("opset 11; x: f32[8,16,32]; y = Relu(x)").equivalent());
  CHECK(narrowed("x: f32[8,16,32]; y = Relu(x)").idempotent());
}

TEST_CASE("what else reads an output reads what is 4-D") {
  CHECK(narrowed("x: f32[8,16,32]; y = Relu(x); z = Neg(y); return y, z, y")
            .becomes("x: f32[8,16,32]; a = i64[1] 1; h = Relu(Unsqueeze(x, i64[1] 1)); y = Squeeze(h, a);"
                     "z = Squeeze(Neg(h), a); return y, z, y"));
}

TEST_CASE("the usual axes of an output go where the shape is not known") {
  CHECK(given("x: f32; y = Relu(x) : f32[A,B]; z = Neg(x) : f32[A,B,C]")
            .pass(four_d_model_outputs())
            .becomes("x: f32; y = Squeeze(Relu(x), i64[2] {0,1}); z = Squeeze(Neg(x), i64[1] 2)"));
}

TEST_CASE("a Squeeze that was there gets the axes, behind a Clip too") {
  const std::string head = "a = i64[1] 0; x: f32; ";
  CHECK(given(head + "y = Squeeze(Relu(x), a) : f32[A,B]; z = Clip(Squeeze(Neg(x), a), f32[] 0) : f32[A,B];"
                     "v = Squeeze(Abs(x), a) : f32[A,B,C]")
            .pass(four_d_model_outputs())
            .becomes(head + "b = i64[2] {0,3}; y = Squeeze(Relu(x), b); z = Clip(Squeeze(Neg(x), b), f32[] 0);"
                            "v = Squeeze(Abs(x), a)"));
  CHECK(given("x: f32[1,1,8,16]; y = Squeeze(x, i64[1] 0) : f32[8,16]")
            .pass(four_d_model_outputs())
            .changes_signature()
            .becomes("x: f32[1,1,8,16]; y = Squeeze(x, i64[2] {0,1})"));
  CHECK(given("x: f32[8,1,16,1]; y = Squeeze(x, i64[1] 0) : f32[8,1,16]")
            .pass(four_d_model_outputs())
            .becomes("x: f32[8,1,16,1]; y = Squeeze(x, i64[1] 3)"));
  CHECK(given("x: f32[1,1,1,16]; y = Squeeze(x) : f32[1,16]")
            .pass(four_d_model_outputs())
            .changes_signature()
            .becomes("x: f32[1,1,1,16]; y = Squeeze(x, i64[2] {0,1})"));
}

TEST_CASE("outputs that are not to be squeezed stay") {
  CHECK(given("x: f32[8,16]; y = Relu(x)").pass(four_d_model_outputs()).refuses("not 4-D"));
  CHECK(given("x: f32[1,1,8,16]; y = Relu(x)").pass(four_d_model_outputs()).refuses("not declared with rank 2 or 3"));
  CHECK(given("x: f32[1,1,8,16]; y = Squeeze(x, i64[2] {0,1})").pass(four_d_model_outputs()).refuses("already"));
  CHECK(given("x: f32[2,3,8,16]; y = Relu(x) : f32[8,16]").pass(four_d_model_outputs()).refuses("no axes"));
}
