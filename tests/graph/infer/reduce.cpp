#include <graft/graph/infer/reduce.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::Ints;

TEST_CASE("reduced axes become 1, or go") {
  CHECK(told("ReduceMean", {"f32[N,3,4]", {1}}) == "f32[N,1,4]");
  CHECK(told("ReduceMean", {"f32[N,3,4]", {-1, 1}}, {{"keepdims", 0}}) == "f32[N]");
  CHECK(told("ReduceMean", {"f32[N,3,4]"}, {{"axes", Ints{0}}}, {.opset = 13}) == "f32[1,3,4]");
  CHECK(told("ReduceSum", {"f32[N,3,4]", {0}}, {}, {.opset = 13}) == "f32[1,3,4]");
  CHECK(told("ReduceMean", {"f32[N,3]", {2}}) == "no: an axis is out of range");
}

TEST_CASE("without axes all are reduced, or none") {
  CHECK(told("ReduceMax", {"f32[N,3]"}) == "f32[1,1]");
  CHECK(told("ReduceMax", {"f32[N,3]"}, {{"keepdims", 0}}) == "f32[]");
  CHECK(told("ReduceMax", {"f32[N,3]"}, {{"noop_with_empty_axes", 1}}) == "f32[N,3]");
}

TEST_CASE("axes that are not known leave the rank") {
  CHECK(told("ReduceMean", {"f32[N,3]", "i64[A]"}) == "f32[?,?]");
  CHECK(told("ReduceMean", {"f32[N,3]", "i64[1]"}, {{"keepdims", 0}}) == "f32[?]");
  CHECK(told("ReduceMean", {"f32[N,3]", "i64[A]"}, {{"keepdims", 0}}) == "f32");
}

TEST_CASE("the contents of a list are folded") {
  CHECK(contents("ReduceProd", {{2, 3, 4}}) == "[24]");
  CHECK(contents("ReduceProd", {{2, 3, 4}}, {{"keepdims", 0}}) == "24");
  CHECK(contents("ReduceSum", {{2, 3, 4}, {0}}) == "[9]");
  CHECK(contents("ReduceMax", {{2, 4, 3}}) == "[4]");
  CHECK(contents("ReduceMin", {{2, 4, 3}}) == "[2]");
  CHECK(contents("ReduceSum", {{2, 3}}, {{"noop_with_empty_axes", 1}}) == "[2,3]");
  CHECK(contents("ReduceMean", {{2, 4}}) == "?");
}

TEST_CASE("ArgMax is i64") {
  CHECK(told("ArgMax", {"f32[N,3]"}, {{"axis", 1}}) == "i64[N,1]");
  CHECK(told("ArgMin", {"f32[N,3]"}, {{"axis", -1}, {"keepdims", 0}}) == "i64[N]");
  CHECK(told("ArgMax", {"f32[N,3]"}, {{"axis", 2}}) == "no: axis is out of range");
}
