#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradients of ReduceSum and ReduceMean are spread") {
  for (const char* model : {
           "x: f32[2,3,4]; y = ReduceSum(x, i64[1] {1})",
           "x: f32[2,3,4]; y = ReduceSum(x, i64[2] {0, -1}) {keepdims=0}",
           "x: f32[2,3,4]; y = ReduceSum(x)",
           "x: f32[2,3]; y = ReduceSum(x) {noop_with_empty_axes=1}",
           "opset 13; x: f32[2,3,4]; y = ReduceMean(x) {axes=[2]}",
           "opset 18; x: f32[2,3,4]; y = ReduceMean(x, i64[2] {2, 0}) {keepdims=0}",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
