#include <graft/graph/infer/reshape.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::Ints;

TEST_CASE("Reshape: 0 copies, -1 takes the rest") {
  CHECK(told("Reshape", {"f32[2,3,4]", {6, 4}}) == "f32[6,4]");
  CHECK(told("Reshape", {"f32[2,3,4]", {0, -1}}) == "f32[2,12]");
  CHECK(told("Reshape", {"f32[2,3,4]", {-1}}) == "f32[24]");
  CHECK(told("Reshape", {"f32[0,3]", {0, 3}}, {{"allowzero", 1}}) == "f32[0,3]");
  CHECK(told("Reshape", {"f32[2,3,4]", {7, -1}}) == "no: the shape does not fit the number of elements");
  CHECK(told("Reshape", {"f32[2,3,4]", {5, 5}}) == "no: the shape does not fit the number of elements");
  CHECK(told("Reshape", {"f32[2,3,4]", {-1, -1}}) == "no: the shape does not fit the number of elements");
  CHECK(told("Reshape", {"f32[2]", {2, 0}}) == "no: the shape does not fit the number of elements");
  CHECK(told("Reshape", {"f32[2,3]", {-2, -3}}) == "no: the shape does not fit the number of elements");
}

TEST_CASE("Reshape cancels what symbols share") {
  CHECK(told("Reshape", {"f32[N,3,4]", {0, -1}}) == "f32[N,12]");
  CHECK(told("Reshape", {"f32[N,3,4]", {-1, 12}}) == "f32[N,12]");
  CHECK(told("Reshape", {"f32[N,3,4]", {-1, 6}}) == "f32[?,6]");
  CHECK(told("Reshape", {"f32[N,T,4]", {0, 0, 2, 2}}) == "f32[N,T,2,2]");
  CHECK(told("Reshape", {"f32[N,T,4]", {-1, 4}}) == "f32[?,4]");
}

TEST_CASE("Reshape of or to an unknown shape") {
  CHECK(told("Reshape", {"f32", {2, 0, -1}}) == "f32[2,?,?]");
  CHECK(told("Reshape", {"f32[2,3]", "i64[3]"}) == "f32[?,?,?]");
  CHECK(told("Reshape", {"f32[2,3]", "i64[1]"}) == "f32[6]");
  CHECK(told("Reshape", {"f32[2,3]", "i64[N]"}) == "f32");
}

TEST_CASE("Reshape had its shape as an attribute") {
  CHECK(told("Reshape", {"f32[2,3]"}, {{"shape", Ints{3, -1}}}, {.opset = 4}) == "f32[3,2]");
}

TEST_CASE("Unsqueeze puts ones, Squeeze takes them") {
  CHECK(told("Unsqueeze", {"f32[2,3]", {0, -1}}) == "f32[1,2,3,1]");
  CHECK(told("Unsqueeze", {"f32[2,3]"}, {{"axes", Ints{1}}}, {.opset = 11}) == "f32[2,1,3]");
  CHECK(told("Unsqueeze", {"f32[2,3]", "i64[2]"}) == "f32[?,?,?,?]");
  CHECK(told("Unsqueeze", {"f32[2,3]", {5}}) == "no: an axis is out of range or named twice");
  CHECK(told("Unsqueeze", {"f32[2,3]", {0, -4}}) == "no: an axis is out of range or named twice");

  CHECK(told("Squeeze", {"f32[1,2,1,3]", {0}}) == "f32[2,1,3]");
  CHECK(told("Squeeze", {"f32[1,2,1,3]", {-2, 0}}) == "f32[2,3]");
  CHECK(told("Squeeze", {"f32[1,2,1,3]"}) == "f32[2,3]");
  CHECK(told("Squeeze", {"f32[1,N]"}) == "f32");
  CHECK(told("Squeeze", {"f32[1,N]", {1}}) == "f32[1]");
  CHECK(told("Squeeze", {"f32[1,N]", "i64[1]"}) == "f32[?]");
  CHECK(told("Squeeze", {"f32[1,2]"}, {{"axes", Ints{0}}}, {.opset = 11}) == "f32[2]");
  CHECK(told("Squeeze", {"f32[1,2]", {1}}) == "no: an axis is out of range, named twice, or not of extent 1");
}

TEST_CASE("Flatten makes a matrix") {
  CHECK(told("Flatten", {"f32[2,3,4]"}) == "f32[2,12]");
  CHECK(told("Flatten", {"f32[2,3,4]"}, {{"axis", 0}}) == "f32[1,24]");
  CHECK(told("Flatten", {"f32[2,3,4]"}, {{"axis", 3}}) == "f32[24,1]");
  CHECK(told("Flatten", {"f32[2,3,4]"}, {{"axis", -1}}) == "f32[6,4]");
  CHECK(told("Flatten", {"f32[N,3,4]"}) == "f32[N,12]");
  CHECK(told("Flatten", {"f32"}) == "f32[?,?]");
  CHECK(told("Flatten", {"f32[2]"}, {{"axis", 2}}) == "no: axis is out of range");
}

TEST_CASE("the contents stay when the shape changes") {
  CHECK(contents("Reshape", {{1, 2, 3, 4}, {2, -1}}) == "[2,2][1,2,3,4]");
  CHECK(contents("Reshape", {{7}, Operand(graft::Tensor(graft::DType::i64, {0}))}) == "7");
  CHECK(contents("Unsqueeze", {scalar(5), {0}}) == "[5]");
  CHECK(contents("Squeeze", {{5}}) == "5");
  CHECK(contents("Squeeze", {{5}, {0}}) == "5");
  CHECK(contents("Flatten", {{1, 2}}, {{"axis", 0}}) == "[1,2][1,2]");
}
