#include <graft/graph/infer/slice.hpp>

#include <limits>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::Ints;
using graft::infer::SliceRange;

namespace {
constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max(), back = std::numeric_limits<std::int64_t>::min();
}

TEST_CASE("a range is clamped to its axis") {
  CHECK(SliceRange::of(5, 1, 4, 1).count == 3);
  CHECK(SliceRange::of(5, -2, far, 1).count == 2);
  CHECK(SliceRange::of(5, -9, 9, 2).count == 3);
  CHECK(SliceRange::of(5, 4, 1, 1).count == 0);
  CHECK(SliceRange::of(0, 0, 5, 1).count == 0);
}

TEST_CASE("a range runs backwards with a negative step") {
  CHECK(SliceRange::of(5, -1, back, -1).count == 5);
  CHECK(SliceRange::of(5, -1, back, -1).first == 4);
  CHECK(SliceRange::of(5, 3, 0, -2).count == 2);
  CHECK(SliceRange::of(5, 9, 0, -2).count == 2);
  CHECK(SliceRange::of(5, 4, back, back).count == 1);
  CHECK(SliceRange::of(5, 0, 4, -1).count == 0);
}

TEST_CASE("Slice by inputs") {
  CHECK(told("Slice", {"f32[N,10]", {2}, {-1}, {1}}) == "f32[N,7]");
  CHECK(told("Slice", {"f32[N,10]", {-1}, {back}, {1}, {-3}}) == "f32[N,4]");
  CHECK(told("Slice", {"f32[4,10]", {1}, {3}}) == "f32[2,10]");
  CHECK(told("Slice", {"f32[N,10]", "i64[1]", {3}, {1}}) == "f32[N,?]");
  CHECK(told("Slice", {"f32[N,10]", "i64[1]", "i64[1]", "i64[1]"}) == "f32[?,?]");
}

TEST_CASE("Slice by attributes") {
  CHECK(told("Slice", {"f32[4,10]"}, {{"starts", Ints{1, 2}}, {"ends", Ints{3, -2}}}, {.opset = 1}) == "f32[2,6]");
  CHECK(told("Slice", {"f32[4,10]"}, {{"starts", Ints{1}}, {"ends", Ints{3}}, {"axes", Ints{-1}}}, {.opset = 1}) ==
        "f32[4,2]");
}

TEST_CASE("Slice to the end keeps a symbol") {
  CHECK(told("Slice", {"f32[N,10]", {0}, {far}, {0}}) == "f32[N,10]");
  CHECK(told("Slice", {"f32[N,10]", {1}, {far}, {0}}) == "f32[?,10]");
  CHECK(told("Slice", {"f32[N,10]", {0}, {5}, {0}}) == "f32[?,10]");
  CHECK(told("Slice", {"f32[N,10]", {0}, {0}, {0}}) == "f32[0,10]");
}

TEST_CASE("the contents of a list are sliced") {
  CHECK(contents("Slice", {{1, 2, 3, 4}, {1}, {3}}) == "[2,3]");
  CHECK(contents("Slice", {{1, 2, 3, 4}, {-1}, {back}, {0}, {-2}}) == "[4,2]");
  CHECK(contents("Slice", {{1, 2, 3, 4}, {9}, {20}}) == "[]");
  CHECK(contents("Slice", {{1, 2, 3, 4}, "i64[1]", {3}}) == "?");
}
