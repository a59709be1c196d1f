#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradients of Resize are slopes") {
  for (const char* model : {
           "x: f32[1,2,3,4]; y = Resize(x, _, f32[4] {1, 1, 2, 2})",
           "x: f32[1,2,3,4]; y = Resize(x, _, f32[4] {1, 1, 2, 1.5}) {mode=\"linear\"}",
           "x: f32[1,2,3,5]; "
           "y = Resize(x, _, _, i64[4] {1, 2, 5, 3}) {mode=\"linear\", "
           "coordinate_transformation_mode=\"align_corners\"}",
           "x: f32[1,1,5,5]; y = Resize(x, _, f32[4] {1, 1, 0.7, 1.4}) {mode=\"cubic\"}",
           "opset 10; x: f32[1,1,3,4]; y = Resize(x, f32[4] {1, 1, 2, 0.5}) {mode=\"linear\"}",
           "opset 9; x: f32[1,1,3,4]; y = Upsample(x, f32[4] {1, 1, 2, 3})",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model, 1) == "");
  }
}
