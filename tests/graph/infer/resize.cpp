#include <graft/graph/infer/resize.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::Floats;
using graft::Ints;

TEST_CASE("Upsample multiplies, rounding down") {
  CHECK(told("Upsample", {"f32[N,3,5,5]", floats({1, 1, 2, 1.5f})}, {}, {.opset = 9}) == "f32[N,3,10,7]");
  CHECK(told("Upsample", {"f32[N,3,5,5]"}, {{"scales", Floats{1, 1, 2, 1.5f}}}, {.opset = 7}) == "f32[N,3,10,7]");
  CHECK(told("Upsample", {"f32[N,3,5,5]"}, {{"height_scale", 2.0f}, {"width_scale", 1.5f}}, {.opset = 1}) ==
        "f32[N,3,10,7]");
  CHECK(told("Upsample", {"f32[N,3,5,5]", "f32[4]"}, {}, {.opset = 9}) == "f32[?,?,?,?]");
  CHECK(told("Upsample", {"f32[N,3,5,5]", floats({2, 2})}, {}, {.opset = 9}) ==
        "no: scales must have one element for each axis");
}

TEST_CASE("Resize by scales") {
  CHECK(told("Resize", {"f32[N,3,5,5]", floats({1, 1, 2, 0.5f})}, {}, {.opset = 10}) == "f32[N,3,10,2]");
  CHECK(told("Resize", {"f32[N,3,5,H]", "", floats({1, 1, 2, 2})}) == "f32[N,3,10,?]");
  CHECK(told("Resize", {"f32[N,3,5,5]", "", floats({2})}, {{"axes", Ints{-1}}}) == "f32[N,3,5,10]");
  CHECK(told("Resize", {"f32[N,3,5,5]", "f32[8]", floats({1, 1, 2, 2})},
             {{"coordinate_transformation_mode", "tf_crop_and_resize"}}) == "f32[?,?,?,?]");
}

TEST_CASE("Resize to sizes") {
  CHECK(told("Resize", {"f32[N,3,5,5]", "", "", {1, 3, 7, 8}}) == "f32[1,3,7,8]");
  CHECK(told("Resize", {"f32[N,3,5,5]", "", "", {7, 8}}, {{"axes", Ints{2, 3}}}) == "f32[N,3,7,8]");
  CHECK(told("Resize", {"f32[N,3,5,5]", "", "", "i64[2]"}, {{"axes", Ints{2, 3}}}) == "f32[N,3,?,?]");
  CHECK(told("Resize", {"f32[N,3,5,5]", "", "", {7, 8}}) == "no: sizes must have one element for each axis");
}

TEST_CASE("Resize may keep the aspect ratio") {
  const auto resized = [](const char* policy) {
    return told("Resize", {"f32[1,1,4,8]", "", "", {7, 8}},
                {{"axes", Ints{2, 3}}, {"keep_aspect_ratio_policy", policy}});
  };
  CHECK(resized("not_larger") == "f32[1,1,4,8]");
  CHECK(resized("not_smaller") == "f32[1,1,7,14]");
}
