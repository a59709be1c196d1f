#include <graft/graph/infer/einsum.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

namespace {
std::string of(const char* equation, std::initializer_list<Operand> inputs) {
  return told("Einsum", inputs, {{"equation", equation}});
}
}  // namespace

TEST_CASE("Einsum: a letter is an extent") {
  CHECK(of("ij,jk->ik", {"f32[2,3]", "f32[3,N]"}) == "f32[2,N]");
  CHECK(of("bhid, bhjd -> bhij", {"f32[B,4,5,6]", "f32[B,4,7,6]"}) == "f32[B,4,5,7]");
  CHECK(of("ii->i", {"f32[3,3]"}) == "f32[3]");
  CHECK(of("ij->", {"f32[3,3]"}) == "f32[]");
  CHECK(of("ij,jk->ik", {"f32", "f32[3,4]"}) == "f32[?,4]");
}

TEST_CASE("Einsum: without an output, letters that occur once in alphabetical order") {
  CHECK(of("ba", {"f32[2,3]"}) == "f32[3,2]");
  CHECK(of("ij,jk", {"f32[2,3]", "f32[3,4]"}) == "f32[2,4]");
  CHECK(of("...ij,jk", {"f32[7,2,3]", "f32[3,4]"}) == "f32[7,2,4]");
}

TEST_CASE("Einsum: what the ellipses cover broadcasts") {
  CHECK(of("...ij,...jk->...ik", {"f32[5,1,2,3]", "f32[N,3,4]"}) == "f32[5,N,2,4]");
  CHECK(of("b...i->...b", {"f32[2,3,4,5]"}) == "f32[3,4,2]");
  CHECK(of("...ij,...jk->...ik", {"f32", "f32[3,4]"}) == "f32");
}

TEST_CASE("Einsum: what does not fit is refused") {
  CHECK(of("ij,jk->ik", {"f32[2,3]", "f32[4,5]"}) == "no: a letter stands for different extents");
  CHECK(of("ij->i", {"f32[2,3,4]"}) == "no: a term of the equation does not fit the rank of its input");
  CHECK(of("ij,jk->ik", {"f32[2,3]"}) == "no: the equation does not fit the inputs");
  CHECK(of("i1->i", {"f32[2,3]"}) == "no: the equation does not fit the inputs");
  CHECK(of("ij->i.", {"f32[2,3]"}) == "no: the equation is malformed");
}
