#include <graft/graph/infer/gather.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::Tensor;

TEST_CASE("Gather puts the shape of the indices in the place of the axis") {
  CHECK(told("Gather", {"f32[2,3,N]", "i64[5,6]"}, {{"axis", 1}}) == "f32[2,5,6,N]");
  CHECK(told("Gather", {"f32[2,3,N]", "i64[]"}, {{"axis", -1}}) == "f32[2,3]");
  CHECK(told("Gather", {"f32[2,3,N]", "i64"}) == "f32");
  CHECK(told("Gather", {"f32[2]", "i64[]"}, {{"axis", 1}}) == "no: axis is out of range");
}

TEST_CASE("the contents of a list are gathered") {
  CHECK(contents("Gather", {{5, 6, 7}, scalar(-1)}) == "7");
  CHECK(contents("Gather", {{5, 6, 7}, {2, 0}}) == "[7,5]");
  CHECK(contents("Gather", {{5, 6, 7}, "i64[2]"}) == "[?,?]");
  CHECK(contents("Gather", {{5, 6, 7}, {3}}) == "?");
  CHECK(contents("Gather", {{5, 6, 7}, Tensor::of<std::int64_t>({1, 2}, {1, 1})}) == "[1,2][6,6]");
}

TEST_CASE("other gathers") {
  CHECK(told("GatherElements", {"f32[2,3]", "i64[2,N]"}, {{"axis", 1}}) == "f32[2,N]");
  CHECK(told("GatherND", {"f32[2,3,4]", "i64[5,2]"}) == "f32[5,4]");
  CHECK(told("GatherND", {"f32[2,3,4]", "i64[2,1]"}, {{"batch_dims", 1}}) == "f32[2,4]");
  CHECK(told("GatherND", {"f32[2,3,4]", "i64[5,N]"}) == "f32");
  CHECK(told("GatherND", {"f32[2,3]", "i64[5,3]"}) == "no: the indices are deeper than the data");
}

TEST_CASE("OneHot adds an axis") {
  CHECK(told("OneHot", {"i64[N,3]", scalar(7), "f32[2]"}) == "f32[N,3,7]");
  CHECK(told("OneHot", {"i64[N,3]", scalar(7), "f32[2]"}, {{"axis", 0}}) == "f32[7,N,3]");
  CHECK(told("OneHot", {"i64[N,3]", floats({7}), "i8[2]"}) == "i8[N,3,7]");
  CHECK(told("OneHot", {"i64[N,3]", "i64[]", "f32[2]"}) == "f32[N,3,?]");
}
