#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradient of Gather adds up over equal indices") {
  for (const char* model : {
           "x: f32[4,3]; y = Gather(x, i64[2,2] {0, 3, -4, 3})",
           "x: f32[2,4,3]; y = Gather(x, i64[3] {1, 1, -1}) {axis=1}",
           "x: f32[2,4]; y = Gather(x, i64[] 2) {axis=-1}",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
