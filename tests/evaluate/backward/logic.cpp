#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradients of Where go to the chosen operand") {
  for (const char* model : {
           "a: f32[2,3]; b: f32[3]; y = Where(bool[2,1] {true, false}, a, b)",
           "a: f32[]; b: f32[2,3]; y = Where(bool[3] {true, false, true}, a, b)",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
