#include <graft/lower/four_d/movement.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Trial widened(const std::string& text) { return given(text).pass(four_d_gather_elements()).changes_signature(); }

}  // namespace

TEST_CASE("constant indices of rank 3 get an axis in front, and the axis counts it") {
  CHECK(widened("x: f32[1,2,4,5]; y = GatherElements(x, i64[2,1,2] {0,1,2,3}) {axis=1}")
            .becomes("x: f32[1,2,4,5]; y = GatherElements(x, i64[1,2,1,2] {0,1,2,3}) {axis=2}"));
  CHECK(widened("x: f32[1,2,4,5]; y = GatherElements(x, i64[2,1,2] 1)")
            .becomes("x: f32[1,2,4,5]; y = GatherElements(x, i64[1,2,1,2] 1) {axis=1}"));
  CHECK(widened("x: f32[1,2,4,5]; y = GatherElements(x, i64[2,1,2] 1) {axis=-1}")
            .becomes("x: f32[1,2,4,5]; y = GatherElements(x, i64[1,2,1,2] 1) {axis=-1}"));
}

TEST_CASE("indices of two nodes are lifted for each once, and stay for others") {
  CHECK(widened("i = i64[2,1,2] 1; x: f32[1,2,4,5]; y = GatherElements(x, i) {axis=-1};"
                "z = GatherElements(x, i) {axis=-1}; r = Relu(Cast(i) {to=f32})")
            .becomes("i = i64[2,1,2] 1; j = i64[1,2,1,2] 1; x: f32[1,2,4,5]; y = GatherElements(x, j) {axis=-1};"
                     "z = GatherElements(x, j) {axis=-1}; r = Relu(Cast(i) {to=f32})"));
}

TEST_CASE("an index of rank 0 becomes one of rank 1") {
  CHECK(widened("x: f32[5]; y = GatherElements(x, i64[] 1)").becomes("x: f32[5]; y = GatherElements(x, i64[1] 1)"));
}

TEST_CASE("four_d_gather_elements refuses") {
  CHECK(widened("x: f32[1,2,4,5]; y = GatherElements(x, i64[1,2,1,2] 1)").refuses("rank 3"));
  CHECK(widened("x: f32[2,4,5]; y = GatherElements(x, i64[2,1,2] 1)").refuses("rank 3"));
  CHECK(widened("x: f32[1,2,4,5]; y = GatherElements(x, i64[] 1)").refuses("rank 1"));
  CHECK(widened("x: f32[1,2,4,5]; i: i64[2,1,2]; y = GatherElements(x, i)").refuses("not constant"));
}
