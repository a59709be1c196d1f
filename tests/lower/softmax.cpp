#include <graft/lower/softmax.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("a Softmax along an axis that two or more follow is one along the last axis") {
  const std::string x = "opset 13; x: f32[2,3,4,5];";
  const Trial second = given(x + "y = Softmax(x) {axis=1}").rule(softmax_along_last_axis);
  CHECK(second.becomes(x + "y = Transpose(Softmax(Transpose(x) {perm=[0,2,3,1]}) {axis=-1}) {perm=[0,3,1,2]}"));
  CHECK(second.equivalent());
  const Trial first = given(x + "y = Softmax(x) {axis=-4}").rule(softmax_along_last_axis);
  CHECK(first.becomes(x + "y = Transpose(Softmax(Transpose(x) {perm=[1,2,3,0]}) {axis=-1}) {perm=[3,0,1,2]}"));
  CHECK(first.equivalent());
  const Trial symbolic = given("opset 13; x: f32[N,3,M,2]; y = Softmax(x) {axis=1}").rule(softmax_along_last_axis);
  CHECK(symbolic.equivalent({.dims = {{"N", 2}, {"M", 3}}}));
}

TEST_CASE("other Softmaxes stay") {
  for (const char* const text :
       {"opset 13; x: f32[2,3,4,5]; y = Softmax(x) {axis=2}", "opset 13; x: f32[2,3,4,5]; y = Softmax(x)",
        "opset 13; x: f32[2,3,4]; y = Softmax(x) {axis=1}", "opset 13; x: f32; y = Softmax(x) {axis=1}",
        "opset 12; x: f32[2,3,4,5]; y = Softmax(x) {axis=1}"})
    CHECK(given(text).rule(softmax_along_last_axis).becomes(text));
}
