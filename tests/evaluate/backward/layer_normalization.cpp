#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradients of normalizations are slopes") {
  for (const char* model : {
           "x: f32[3,4,6]; s: f32[6]; b: f32[6]; y = LayerNormalization(x, s, b)",
           "x: f32[3,4,6]; s: f32[4,6]; y = LayerNormalization(x, s) {axis=1, epsilon=0.1}",
           "x: f32[3,4,4]; s: f32[4,1]; b: f32[4]; y = LayerNormalization(x, s, b) {axis=1}",
           "x: f32[2,3,4,5]; s: f32[3]; b: f32[3]; y = InstanceNormalization(x, s, b)",
           "opset 21; x: f32[2,4,5]; s: f32[4]; b: f32[4]; y = GroupNormalization(x, s, b) {num_groups=2}",
           "opset 23; x: f32[3,4,6]; s: f32[6]; y = RMSNormalization(x, s)",
           "opset 23; x: f32[3,4,6]; s: f32[4,1]; y = RMSNormalization(x, s) {axis=1}",
           "x: f32[3,6]; k: f32[3,6]; s: f32[6]; b: f32[6]; c: f32[6]; "
           "y, _, _, z = com.microsoft::SkipLayerNormalization(x, k, s, b, c)",
           "x: f32[2,3,6]; k: f32[3,6]; s: f32[6]; y = com.microsoft::SkipLayerNormalization(x, k, s)",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
