#include <graft/graph/infer/matmul.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

TEST_CASE("MatMul broadcasts its batch and drops the axis of a vector") {
  CHECK(told("MatMul", {"f32[2,3]", "f32[3,4]"}) == "f32[2,4]");
  CHECK(told("MatMul", {"f32[B,1,2,3]", "f32[5,3,M]"}) == "f32[B,5,2,M]");
  CHECK(told("MatMul", {"f32[3]", "f32[3,4]"}) == "f32[4]");
  CHECK(told("MatMul", {"f32[2,3]", "f32[3]"}) == "f32[2]");
  CHECK(told("MatMul", {"f32[3]", "f32[3]"}) == "f32[]");
  CHECK(told("MatMul", {"f32[2,K]", "f32[3,4]"}) == "f32[2,4]");
  CHECK(told("MatMul", {"f32", "f32[3,4]"}) == "f32");
  CHECK(told("MatMul", {"f32[2,3]", "f32[4,5]"}) == "no: the matrices do not fit");
  CHECK(told("MatMul", {"f32[]", "f32[4,5]"}) == "no: the matrices do not fit");
  CHECK(told("MatMul", {"f32[2,2,3]", "f32[3,3,5]"}) == "no: the matrices do not fit");
}

TEST_CASE("integer products") {
  CHECK(told("MatMulInteger", {"u8[2,3]", "i8[3,4]"}) == "i32[2,4]");
  CHECK(told("QLinearMatMul", {"u8[2,3]", "f32[]", "u8[]", "i8[3,4]", "f32[]", "i8[]", "f32[]", "i8[]"}) == "i8[2,4]");
}

TEST_CASE("Gemm multiplies matrices, either turned") {
  CHECK(told("Gemm", {"f32[2,3]", "f32[3,4]", "f32[4]"}) == "f32[2,4]");
  CHECK(told("Gemm", {"f32[3,M]", "f32[4,3]"}, {{"transA", 1}, {"transB", 1}}) == "f32[M,4]");
  CHECK(told("Gemm", {"f32", "f32[3,4]"}) == "f32[?,4]");
  CHECK(told("Gemm", {"f32[2,3]", "f32[4,4]"}) == "no: the matrices do not fit");
  CHECK(told("Gemm", {"f32[1,2,3]", "f32[3,4]"}) == "no: Gemm takes matrices");
}

TEST_CASE("Det drops the matrix") {
  CHECK(told("Det", {"f32[B,3,3]"}) == "f32[B]");
  CHECK(told("Det", {"f32[B,3,4]"}) == "no: the matrices are not square");
}
