#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradients of Concat and Split are split and joined") {
  for (const char* model : {
           "a: f32[2,1,3]; b: f32[2,4,3]; c: f32[2,2,3]; y = Concat(a, b, c) {axis=-2}",
           "a: f32[2]; y = Concat(a) {axis=0}",
           "x: f32[2,6]; a, b, c = Split(x) {axis=1}",
           "x: f32[5,2]; a, b = Split(x, i64[2] {1, 4})",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
