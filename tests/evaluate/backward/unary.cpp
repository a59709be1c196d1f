#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradients of functions of one number are slopes") {
  for (const char* model : {
           "x: f32[20]; y = Abs(x)",
           "x: f32[20]; y = Neg(x)",
           "x = f32[20] random(0.1, 4); y = Sqrt(x)",
           "x = f32[20] random(-2, -0.5); y = Reciprocal(x)",
           "x = f32[20] random(-3, 3); y = Exp(x)",
           "x = f32[20] random(0.1, 4); y = Log(x)",
           "x = f32[20] random(-4, 4); y = Sin(x)",
           "x = f32[20] random(-4, 4); y = Cos(x)",
           "x = f32[20] random(-3, 3); y = Erf(x)",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
