#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradients of ConvTranspose are slopes") {
  for (const char* model : {
           "x: f32[2,3,4,3]; w: f32[3,4,3,2]; b: f32[4]; y = ConvTranspose(x, w, b)",
           "x: f32[2,3,4,3]; w: f32[3,4,3,3]; "
           "y = ConvTranspose(x, w) {strides=[2,1], pads=[1,0,1,2], output_padding=[1,0]}",
           "x: f32[1,4,3,3]; w: f32[4,2,2,2]; b: f32[4]; y = ConvTranspose(x, w, b) {group=2, dilations=[2,1]}",
           "x: f32[1,4,5]; w: f32[4,1,3]; y = ConvTranspose(x, w) {group=4, strides=[2]}",
           "x: f32[1,2,2,3,2]; w: f32[2,2,2,1,2]; y = ConvTranspose(x, w) {auto_pad=\"SAME_UPPER\", strides=[1,1,2]}",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
