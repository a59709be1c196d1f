#include <graft/graph/infer/image.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::Ints;

TEST_CASE("regions of interest") {
  CHECK(told("MaxRoiPool", {"f32[1,C,9,9]", "f32[R,5]"}, {{"pooled_shape", Ints{3, 4}}}) == "f32[R,C,3,4]");
  CHECK(told("RoiAlign", {"f32[1,C,9,9]", "f32[?,4]", "i64[R]"}, {{"output_height", 3}, {"output_width", 4}}) ==
        "f32[R,C,3,4]");
  CHECK(told("RoiAlign", {"f32[1,C,9,9]", "f32[2,4]", "i64[3]"}) == "no: rois and batch_indices differ in number");
}

TEST_CASE("sampling on grids") {
  CHECK(told("GridSample", {"f32[N,C,8,9]", "f32[2,5,6,2]"}) == "f32[2,C,5,6]");
  CHECK(told("GridSample", {"f32[N,C,8,9]", "f32[2,5,2]"}) == "no: X and grid differ in rank");
  CHECK(told("AffineGrid", {"f32[2,2,3]", {2, 3, 5, 6}}) == "f32[2,5,6,2]");
  CHECK(told("AffineGrid", {"f32[2,3,4]", {2, 3, 4, 5, 6}}) == "f32[2,4,5,6,3]");
  CHECK(told("AffineGrid", {"f32[2,3,4]", {2, 3}}) == "no: size must have 4 or 5 elements");
}

TEST_CASE("columns to image, and decoding") {
  CHECK(told("Col2Im", {"f32[N,20,9]", {5, 6}, {2, 5}}) == "f32[N,2,5,6]");
  CHECK(told("Col2Im", {"f32[N,21,9]", {5, 6}, {2, 5}}) == "no: the block does not divide the columns");
  CHECK(told("ImageDecoder", {"u8[L]"}) == "u8[?,?,3]");
  CHECK(told("ImageDecoder", {"u8[L]"}, {{"pixel_format", "Grayscale"}}) == "u8[?,?,1]");
}
