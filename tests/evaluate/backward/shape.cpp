#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradients of operators that change dims take those of the input") {
  for (const char* model : {
           "x: f32[2,3]; y = Identity(x)",
           "x: f32[2,3,4]; y = Reshape(x, i64[2] {-1, 4})",
           "x: f32[2,3,4]; y = Flatten(x) {axis=2}",
           "x: f32[2,1,4]; y = Squeeze(x, i64[1] {1})",
           "x: f32[2,4]; y = Unsqueeze(x, i64[2] {0, -1})",
           "x: f32[2,3]; y = Dropout(x)",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
