#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradients of BatchNormalization in inference are slopes") {
  for (const char* model : {
           "x: f32[2,3,4,5]; s: f32[3]; b: f32[3]; m: f32[3]; v = f32[3] random(0.5, 2); "
           "y = BatchNormalization(x, s, b, m, v)",
           "x: f32[4,3]; s: f32[3]; b: f32[3]; m: f32[3]; v = f32[3] random(0.5, 2); "
           "y = BatchNormalization(x, s, b, m, v) {epsilon=0.1}",
           "opset 8; x: f32[2,2,3]; s: f32[6]; b: f32[6]; m: f32[6]; v = f32[6] 2; "
           "y = BatchNormalization(x, s, b, m, v) {spatial=0}",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
