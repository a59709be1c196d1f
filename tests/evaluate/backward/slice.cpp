#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradient of Slice is zero outside the slice") {
  for (const char* model : {
           "x: f32[5,6]; y = Slice(x, i64[1] {1}, i64[1] {4})",
           "x: f32[5,6]; y = Slice(x, i64[2] {-1, 0}, i64[2] {-6, 5}, i64[2] {0, 1}, i64[2] {-2, 3})",
           "opset 9; x: f32[5,6]; y = Slice(x) {starts=[1], ends=[3], axes=[1]}",
           "x: f32[2,3]; y = Slice(x, i64[1] {0}, i64[1] {3}, i64[1] {1})",
           "x: f32[2,3]; y = Slice(x, i64[1] {2}, i64[1] {1}, i64[1] {1})",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
