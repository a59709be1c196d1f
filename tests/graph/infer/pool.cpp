#include <graft/graph/infer/pool.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::Attributes;
using graft::Ints;

TEST_CASE("a pool keeps batch and channels") {
  const Attributes two = {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}};
  CHECK(told("MaxPool", {"f32[N,3,8,9]"}, two) == "f32[N,3,4,4]");
  CHECK(told("MaxPool", {"f32[N,3,8,9]"}, two, {.outputs = 2}) == "f32[N,3,4,4] i64[N,3,4,4]");
  CHECK(told("AveragePool", {"f32[N,3,8,9]"}, two) == "f32[N,3,4,4]");
  CHECK(told("LpPool", {"f32[N,3,8,9]"}, two) == "f32[N,3,4,4]");
  CHECK(told("MaxPool", {"f32[N,3,8,9]"}, {{"kernel_shape", Ints{2, 2}}, {"auto_pad", "SAME_UPPER"}}) ==
        "f32[N,3,8,9]");
  CHECK(told("MaxPool", {"f32[1,3,9]"}, {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}, {"ceil_mode", 1}}) ==
        "f32[1,3,5]");
  CHECK(told("MaxPool", {"f32[1,3,9]"}, {{"kernel_shape", Ints{2, 2}}}) ==
        "no: kernel_shape, strides, dilations or pads do not fit the spatial axes");
  CHECK(told("MaxPool", {"f32"}, two) == "f32");
}

TEST_CASE("channels may be last in com.microsoft") {
  const Attributes two = {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}};
  CHECK(told("com.microsoft::NhwcMaxPool", {"u8[1,8,9,3]"}, two) == "u8[1,4,4,3]");
  Attributes last = two;
  last.emplace_back("channels_last", 1);
  CHECK(told("com.microsoft::QLinearAveragePool", {"u8[1,8,9,3]", "f32[]", "u8[]", "f32[]", "u8[]"}, last) ==
        "u8[1,4,4,3]");
  CHECK(told("com.microsoft::QLinearGlobalAveragePool", {"u8[1,8,9,3]", "f32[]", "u8[]", "f32[]", "u8[]"},
             {{"channels_last", 1}}) == "u8[1,1,1,3]");
}

TEST_CASE("a global pool leaves an extent of 1") {
  CHECK(told("GlobalAveragePool", {"f32[N,3,8,9]"}) == "f32[N,3,1,1]");
  CHECK(told("GlobalMaxPool", {"f32[N,3,L]"}) == "f32[N,3,1]");
  CHECK(told("GlobalMaxPool", {"f32[N]"}) == "no: the input of a pool has no channels");
}

TEST_CASE("unpooling takes the shape it is given, or the one that pooling would have come from") {
  const Attributes two = {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}};
  CHECK(told("MaxUnpool", {"f32[1,1,2,2]", "i64[1,1,2,2]"}, two) == "f32[1,1,4,4]");
  CHECK(told("MaxUnpool", {"f32[1,1,2,2]", "i64[1,1,2,2]", {1, 1, 5, 5}}, two) == "f32[1,1,5,5]");
}
