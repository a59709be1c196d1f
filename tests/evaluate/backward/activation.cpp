#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradients of activations are slopes") {
  for (const char* model : {
           "x: f32[2,3,70]; y = Relu(x)",
           "x: f32[2,30]; low = f32[] -0.5; high = f32[] 0.25; y = Clip(x, low, high)",
           "x: f32[2,30]; high = f32[1] 0.25; y = Clip(x, _, high)",
           "x: f32[30]; low = f32[] 0.5; high = f32[] -0.5; y = Clip(x, low, high)",
           "x: f32[30]; y = Clip(x)",
           "opset 6; x: f32[30]; y = Clip(x) {min=-0.3, max=0.4}",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
