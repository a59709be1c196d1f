#include <graft/graph/infer/expand.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::Ints;

TEST_CASE("Expand broadcasts both ways") {
  CHECK(told("Expand", {"f32[3,1]", {2, 1, 4}}) == "f32[2,3,4]");
  CHECK(told("Expand", {"f32[N,3]", {1, 1}}) == "f32[N,3]");
  CHECK(told("Expand", {"f32[1,3]", "i64[3]"}) == "f32[?,?,3]");
  CHECK(told("Expand", {"f32[3]", "i64[N]"}) == "f32");
  CHECK(told("Expand", {"f32[3]", {2}}) == "no: the input does not expand to the shape");
  CHECK(contents("Expand", {{5}, {3}}) == "[5,5,5]");
  CHECK(contents("Expand", {{5, 6}, {2, 1}}) == "[2,2][5,6,5,6]");
}

TEST_CASE("Tile multiplies extents") {
  CHECK(told("Tile", {"f32[2,N]", {3, 1}}) == "f32[6,N]");
  CHECK(told("Tile", {"f32[2,N]", {0, 2}}) == "f32[0,?]");
  CHECK(told("Tile", {"f32[2,N]", "i64[2]"}) == "f32[?,?]");
  CHECK(told("Tile", {"f32", {3, 1}}) == "f32[?,?]");
  CHECK(told("Tile", {"f32[2,N]", {3}}) == "no: repeats must have one element for each axis");
  CHECK(told("Tile", {"f32[2,3]", "f32[]", "f32[]"}, {}, {.opset = 1}) == "f32[?,?]");
}

TEST_CASE("Pad adds, or crops, at both ends") {
  CHECK(told("Pad", {"f32[2,N,5]", {0, 0, 1, 0, 0, -2}}) == "f32[2,N,4]");
  CHECK(told("Pad", {"f32[2,N]", {0, 1, 0, 0}}) == "f32[2,?]");
  CHECK(told("Pad", {"f32[2,N]", {0, 1, 0, -1}}) == "f32[2,N]");
  CHECK(told("Pad", {"f32[2,3]"}, {{"pads", Ints{1, 1, 1, 1}}}, {.opset = 2}) == "f32[4,5]");
  CHECK(told("Pad", {"f32[2,3]"}, {{"paddings", Ints{1, 1, 1, 1}}}, {.opset = 1}) == "f32[4,5]");
  CHECK(told("Pad", {"f32[2,3]", {1, 1}, "", {-1}}) == "f32[2,5]");
  CHECK(told("Pad", {"f32[2,3]", "i64[4]"}) == "f32[?,?]");
  CHECK(told("Pad", {"f32[2,3]", {1, 1}}) == "no: pads must have two elements for each axis");
}

TEST_CASE("CenterCropPad takes the extents it is given") {
  CHECK(told("CenterCropPad", {"f32[20,10,3]", {10, 7, 5}}) == "f32[10,7,5]");
  CHECK(told("CenterCropPad", {"f32[20,10,3]", {10}}, {{"axes", Ints{-1}}}) == "f32[20,10,10]");
  CHECK(told("CenterCropPad", {"f32[20,10,3]", {10}}) == "no: shape must have one element for each axis");
}
