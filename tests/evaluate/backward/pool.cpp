#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradients of pools are slopes") {
  for (const char* model : {
           "x: f32[2,3,6,5]; y = MaxPool(x) {kernel_shape=[3,2], strides=[2,1], pads=[1,0,1,1]}",
           "x: f32[1,2,6,6]; y, i = MaxPool(x) {kernel_shape=[2,2], dilations=[2,2], storage_order=1}",
           "x: f32[1,2,7]; y = MaxPool(x) {kernel_shape=[3], strides=[2], ceil_mode=1}",
           "x: f32[2,3,6,5]; y = AveragePool(x) {kernel_shape=[3,2], strides=[2,1], pads=[1,0,1,1]}",
           "x: f32[1,2,6,5]; y = AveragePool(x) {kernel_shape=[3,3], pads=[1,1,1,1], count_include_pad=1}",
           "x: f32[1,2,6,6]; y = AveragePool(x) {kernel_shape=[3,3], strides=[2,2], ceil_mode=1, "
           "pads=[1,1,1,1], count_include_pad=1}",
           "x: f32[1,1,3,4,3]; y = AveragePool(x) {kernel_shape=[2,2,2], auto_pad=\"SAME_UPPER\"}",
           "x: f32[2,3,4,5]; y = GlobalAveragePool(x)",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
