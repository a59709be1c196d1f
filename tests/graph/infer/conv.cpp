#include <graft/graph/infer/conv.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::Ints;

TEST_CASE("a convolution has the batch of its input and the channels of its weight") {
  CHECK(told("Conv", {"f32[2,3,8,9]", "f32[7,3,3,3]"}) == "f32[2,7,6,7]");
  CHECK(told("Conv", {"f32[N,3,8,9]", "f32[7,3,3,3]", "f32[7]"}, {{"pads", Ints{1, 1, 1, 1}}}) == "f32[N,7,8,9]");
  CHECK(told("Conv", {"f16[2,6,8]", "f16[4,3,3]"}, {{"group", 2}}) == "f16[2,4,6]");
  CHECK(told("Conv", {"f32", "f32[7,3,3,3]"}) == "f32[?,7,?,?]");
  CHECK(told("Conv", {"f32[2,3,8,9]", "f32"}, {{"kernel_shape", Ints{3, 3}}}) == "f32[2,?,6,7]");
  CHECK(told("Conv", {"f32", "f32"}) == "f32");
}

TEST_CASE("a padded convolution of stride 1 keeps symbols") {
  CHECK(told("Conv", {"f32[1,3,H,W]", "f32[8,3,3,3]"}, {{"pads", Ints{1, 1, 1, 1}}}) == "f32[1,8,H,W]");
  CHECK(told("Conv", {"f32[1,3,H,W]", "f32[8,3,1,1]"}) == "f32[1,8,H,W]");
  CHECK(told("Conv", {"f32[1,3,H,W]", "f32[8,3,3,3]"}) == "f32[1,8,?,?]");
  CHECK(told("Conv", {"f32[1,3,H,W]", "f32[8,3,1,1]"}, {{"strides", Ints{2, 1}}}) == "f32[1,8,?,W]");
}

TEST_CASE("a convolution that does not fit is refused") {
  CHECK(told("Conv", {"f32[1,3,8,8]", "f32[8,4,3,3]"}) == "no: the channels are not those of the weight times group");
  CHECK(told("Conv", {"f32[1,3,8,8]", "f32[8,3,3]"}) == "no: input and weight differ in rank");
  CHECK(told("Conv", {"f32[1,3,2,8]", "f32[8,3,3,3]"}) == "no: the kernel is larger than the padded input");
  CHECK(told("Conv", {"f32[1,3,8,8]", "f32[8,3,3,3]"}, {{"pads", Ints{1, 1}}}) ==
        "no: kernel_shape, strides, dilations or pads do not fit the spatial axes");
  CHECK(told("Conv", {"f32[1,3]", "f32[8,3]"}) == "no: the input of a convolution has no spatial axis");
}

TEST_CASE("integer convolutions") {
  CHECK(told("ConvInteger", {"u8[1,3,8,8]", "i8[8,3,3,3]"}) == "i32[1,8,6,6]");
  CHECK(told("QLinearConv", {"u8[1,3,8,8]", "f32[]", "u8[]", "i8[8,3,3,3]", "f32[]", "i8[]", "f32[]", "i8[]"}) ==
        "i8[1,8,6,6]");
  CHECK(told("com.microsoft::QLinearConv",
             {"u8[1,8,9,3]", "f32[]", "u8[]", "i8[8,3,3,3]", "f32[]", "i8[]", "f32[]", "u8[]"},
             {{"channels_last", 1}}) == "u8[1,6,7,8]");
}

TEST_CASE("a transposed convolution") {
  CHECK(told("ConvTranspose", {"f32[1,3,4,5]", "f32[3,6,3,3]"}, {{"strides", Ints{2, 2}}}) == "f32[1,6,9,11]");
  CHECK(told("ConvTranspose", {"f32[1,4,4]", "f32[4,3,3]"},
             {{"group", 2}, {"output_padding", Ints{1}}, {"strides", Ints{2}}}) ==
        "f32[1,6,10]");
  CHECK(told("ConvTranspose", {"f32[1,3,4,5]", "f32[3,6,3,3]"}, {{"output_shape", Ints{10, 12}}}) == "f32[1,6,10,12]");
  CHECK(told("ConvTranspose", {"f32[1,3,4]", "f32[3,6,3]"}, {{"auto_pad", "SAME_UPPER"}, {"strides", Ints{2}}}) ==
        "f32[1,6,8]");
  CHECK(told("ConvTranspose", {"f32[1,3,4]", "f32[3,6,1]"}, {{"auto_pad", "SAME_UPPER"}, {"strides", Ints{2}}}) ==
        "f32[1,6,?]");
  CHECK(told("ConvTranspose", {"f32[1,2,4]", "f32[3,6,3]"}) == "no: the channels are not those of the weight");
}
