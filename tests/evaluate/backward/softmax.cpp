#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradients of Softmax and LogSoftmax are slopes") {
  for (const char* model : {
           "x: f32[3,20]; y = Softmax(x)",
           "x: f32[3,4,5]; y = Softmax(x) {axis=1}",
           "opset 11; x: f32[3,4,5]; y = Softmax(x) {axis=1}",
           "x: f32[3,20]; y = LogSoftmax(x)",
           "x: f32[3,4,5]; y = LogSoftmax(x) {axis=0}",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
