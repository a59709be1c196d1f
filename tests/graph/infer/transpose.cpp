#include <graft/graph/infer/transpose.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::Ints;

TEST_CASE("Transpose permutes, or reverses") {
  CHECK(told("Transpose", {"f32[2,N,4]"}, {{"perm", Ints{1, 2, 0}}}) == "f32[N,4,2]");
  CHECK(told("Transpose", {"f32[2,N,4]"}) == "f32[4,N,2]");
  CHECK(told("Transpose", {"f32"}, {{"perm", Ints{1, 0}}}) == "f32[?,?]");
  CHECK(told("Transpose", {"f32"}) == "f32");
  CHECK(told("Transpose", {"f32[2,3]"}, {{"perm", Ints{1, 1}}}) == "no: perm is not a permutation of the axes");
  CHECK(told("Transpose", {"f32[2,3]"}, {{"perm", Ints{0}}}) == "no: perm is not a permutation of the axes");
}

TEST_CASE("blocks between depth and space") {
  CHECK(told("DepthToSpace", {"f32[N,8,3,4]"}, {{"blocksize", 2}}) == "f32[N,2,6,8]");
  CHECK(told("SpaceToDepth", {"f32[N,2,6,8]"}, {{"blocksize", 2}}) == "f32[N,8,3,4]");
  CHECK(told("DepthToSpace", {"f32[N,6,3,4]"}, {{"blocksize", 2}}) == "no: blocksize does not divide the input");
  CHECK(told("DepthToSpace", {"f32[N,8,3]"}, {{"blocksize", 2}}) == "no: the input must have rank 4");
}
