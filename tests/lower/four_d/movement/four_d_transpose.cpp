#include <graft/lower/four_d/movement.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("a Transpose of two or three axes moves the last ones of four") {
  CHECK(given("x: f32[1,2,4,5]; y = Transpose(x) {perm=[1,0]}")
            .pass(four_d_transpose())
            .becomes("x: f32[1,2,4,5]; y = Transpose(x) {perm=[0,1,3,2]}"));
  CHECK(given("x: f32[1,3,4,5]; y = Transpose(x) {perm=[2,0,1]}")
            .pass(four_d_transpose())
            .becomes("x: f32[1,3,4,5]; y = Transpose(x) {perm=[0,3,1,2]}"));
  CHECK(given("x: f32[1,3,4,5]; y = Transpose(x) {perm=[2,0,1]}").pass(four_d_transpose()).idempotent());
}

TEST_CASE("a Transpose of unknown rank does, and one in a body") {
  CHECK(given("x: f32; y = Transpose(x) {perm=[1,0]}")
            .pass(four_d_transpose())
            .changes_signature()
            .becomes("x: f32; y = Transpose(x) {perm=[0,1,3,2]}"));
  const std::string head = "c: bool[]; x: f32[1,2,4,5]; y = If(c) {then_branch={ t = Transpose(x) {perm=";
  const std::string tail = "}; return t }, else_branch={ e = Relu(x); return e }}";
  CHECK(given(head + "[0,2,1]" + tail).pass(four_d_transpose()).becomes(head + "[0,1,3,2]" + tail));
}

TEST_CASE("a Transpose of what is not 4-D stays") {
  CHECK(given("x: f32[3,4,5]; y = Transpose(x) {perm=[0,2,1]}").pass(four_d_transpose()).refuses("rank 3"));
  CHECK(given("x: f32[3,4,5]; y = Transpose(Relu(x)) {perm=[0,2,1]}").pass(four_d_transpose()).refuses("rank 3"));
  CHECK(given("x: f32[3,4,5]; y = Transpose(x)").pass(four_d_transpose()).refuses("not given"));
  CHECK(given("x: f32[1,3,4,5]; y = Transpose(x) {perm=[0,2,1,3]}").pass(four_d_transpose()).refuses("two or three"));
}
