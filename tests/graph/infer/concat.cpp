#include <graft/graph/infer/concat.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::Ints;

TEST_CASE("Concat adds along its axis and unifies the others") {
  CHECK(told("Concat", {"f32[2,3]", "f32[2,4]"}, {{"axis", 1}}) == "f32[2,7]");
  CHECK(told("Concat", {"f32[N,3]", "f32[2,4]"}, {{"axis", -1}}) == "f32[2,7]");
  CHECK(told("Concat", {"f32[N,3]", "f32[N,T]"}, {{"axis", 1}}) == "f32[N,T + 3]");
  CHECK(told("Concat", {"f32[N,3]"}, {{"axis", 0}}) == "f32[N,3]");
  CHECK(told("Concat", {"f32", "f32[2,4]"}, {{"axis", 1}}) == "f32[2,?]");
  CHECK(told("Concat", {"f32", "f32"}, {{"axis", 1}}) == "f32");
  CHECK(told("Concat", {"f32[2,3]", "f32[2,4]"}, {}, {.opset = 1}) == "f32[2,7]");
  CHECK(told("Concat", {"f32[2,3]", "f32[3,4]"}, {{"axis", 1}}) == "no: the inputs differ outside the axis");
  CHECK(told("Concat", {"f32[2,3]", "f32[3]"}, {{"axis", 0}}) == "no: the inputs differ in rank");
  CHECK(told("Concat", {"f32[2,3]"}, {{"axis", 2}}) == "no: axis is out of range");
  CHECK(told("com.microsoft::QLinearConcat", {"f32[]", "u8[]", "u8[2,3]", "f32[]", "u8[]", "u8[2,4]", "f32[]", "u8[]"},
             {{"axis", 1}}) == "u8[2,7]");
}

TEST_CASE("the contents of lists are joined") {
  CHECK(contents("Concat", {{1, 2}, {3}}, {{"axis", 0}}) == "[1,2,3]");
  CHECK(contents("Concat", {{1}, "i64[2]"}, {{"axis", 0}}) == "[1,?,?]");
  CHECK(contents("Concat", {{1}, "i64[N]"}, {{"axis", 0}}) == "?");
}

TEST_CASE("Split by sizes") {
  CHECK(told("Split", {"f32[N,5]", {2, 3}}, {{"axis", 1}}, {.outputs = 2}) == "f32[N,2] f32[N,3]");
  CHECK(told("Split", {"f32[N,5]"}, {{"axis", -1}, {"split", Ints{2, 3}}}, {.opset = 11, .outputs = 2}) ==
        "f32[N,2] f32[N,3]");
  CHECK(told("Split", {"f32[N,5]", "i64[2]"}, {{"axis", 1}}, {.outputs = 2}) == "f32[N,?] f32[N,?]");
  CHECK(told("Split", {"f32[N,5]", {2, 2}}, {{"axis", 1}}, {.outputs = 2}) ==
        "no: the parts do not add up to the input");
  CHECK(told("Split", {"f32[N,5]", {5}}, {{"axis", 1}}, {.outputs = 2}) == "no: the parts do not add up to the input");
}

TEST_CASE("Split into equal parts; from version 18 the last may be smaller") {
  CHECK(told("Split", {"f32[6]"}, {}, {.opset = 13, .outputs = 3}) == "f32[2] f32[2] f32[2]");
  CHECK(told("Split", {"f32[7]"}, {}, {.opset = 13, .outputs = 3}) == "no: the parts do not add up to the input");
  CHECK(told("Split", {"f32[7]"}, {{"num_outputs", 3}}, {.opset = 18, .outputs = 3}) == "f32[3] f32[3] f32[1]");
  CHECK(told("Split", {"f32[N]"}, {{"num_outputs", 2}}, {.opset = 18, .outputs = 2}) == "f32[?] f32[?]");
  CHECK(told("Split", {"f32[N]"}, {{"num_outputs", 1}}, {.opset = 18}) == "f32[N]");
}

TEST_CASE("the contents of a list are split") {
  CHECK(contents("Split", {{1, 2, 3}, {1, 2}}, {}, {.outputs = 2}) == "[2,3]");
  CHECK(contents("Split", {{1, 2, 3, 4}}, {{"num_outputs", 2}}, {.outputs = 2}) == "[3,4]");
}
