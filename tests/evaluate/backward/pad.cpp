#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradient of Pad is cropped") {
  for (const char* model : {
           "x: f32[2,3]; y = Pad(x, i64[4] {1, 0, 2, 3})",
           "x: f32[2,3]; v: f32[]; y = Pad(x, i64[4] {1, 0, 2, 3}, v)",
           "x: f32[4,3]; v: f32[]; y = Pad(x, i64[4] {-1, 2, -2, -1}, v)",
           "x: f32[2,4]; y = Pad(x, i64[4] {0, 3, 1, 2}) {mode=\"edge\"}",
           "x: f32[3,4]; y = Pad(x, i64[4] {2, 3, 1, 2}) {mode=\"reflect\"}",
           "opset 18; x: f32[3,4]; y = Pad(x, i64[2] {2, 1}, _, i64[1] {1})",
           "opset 10; x: f32[2,3]; y = Pad(x) {pads=[0,1,1,0], value=2.0}",
           "x: f32[0,3]; y = Pad(x, i64[4] {1, -3, 0, 0}) {mode=\"wrap\"}",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
