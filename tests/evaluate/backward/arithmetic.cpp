#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradients of arithmetic are slopes, summed over broadcast axes") {
  for (const char* model : {
           "a: f32[2,3]; b: f32[2,3]; y = Add(a, b)",
           "a: f32[2,3,4]; b: f32[3,1]; y = Add(a, b)",
           "a: f32[]; b: f32[2,1,3]; y = Add(a, b)",
           "a: f32[2,1,3]; b: f32[4,1]; y = Sub(a, b)",
           "a: f32[2,3]; b: f32[2,3]; y = Mul(a, b)",
           "a: f32[4,1]; b: f32[2,1,3]; y = Mul(a, b)",
           "a: f32[3]; b = f32[2,3] random(0.5, 2); y = Div(a, b)",
           "a: f32[2,3]; b = f32[2,1] random(-2, -0.5); y = Div(a, b)",
           "a: f32[2,3]; b: f32[3]; c: f32[2,1]; y = Sum(a, b, c)",
           "a: f32[2]; y = Sum(a)",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
