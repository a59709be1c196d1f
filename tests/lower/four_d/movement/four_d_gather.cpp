#include <graft/lower/four_d/movement.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Trial widened(const std::string& text) { return given(text).pass(four_d_gather()).changes_signature(); }

}  // namespace

TEST_CASE("a Gather from the axis in the middle takes from axis 2, and keeps the rank") {
  CHECK(widened("x: f32[1,1,4,5]; y = Gather(x, i64[] 3) {axis=1}")
            .becomes("x: f32[1,1,4,5]; y = Gather(x, i64[1] 3) {axis=2}"));
  CHECK(widened("x: f32[1,1,4,5]; y = Gather(x, i64[2] {3,0}) {axis=1}")
            .becomes("x: f32[1,1,4,5]; y = Gather(x, i64[2] {3,0}) {axis=2}"));
  CHECK(widened("x: f32[1,1,4,5]; y = Gather(x, i32[] 3) {axis=-1}")
            .becomes("x: f32[1,1,4,5]; y = Gather(x, i32[1] 3) {axis=-1}"));
  CHECK(widened("x: f32[1,1,4,5]; y = Gather(x, i64[] 0) {axis=1}").idempotent());
}

TEST_CASE("an index that is computed becomes one of rank 1") {
  CHECK(widened("x: f32[1,1,4,5]; i: i64[]; y = Gather(x, i) {axis=1}")
            .becomes("x: f32[1,1,4,5]; i: i64[]; y = Gather(x, Reshape(i, i64[1] 1)) {axis=2}"));
  CHECK(widened("x: f32[1,1,4,5]; i: i64[K]; y = Gather(x, i) {axis=1}")
            .becomes("x: f32[1,1,4,5]; i: i64[K]; y = Gather(x, i) {axis=2}"));
}

TEST_CASE("an index that others read stays for them") {
  CHECK(widened("i = i64[] 3; x: f32[1,1,4,5]; e: f32[9,7]; y = Gather(x, i) {axis=1}; z = Gather(e, i)")
            .becomes("i = i64[] 3; x: f32[1,1,4,5]; e: f32[9,7]; y = Gather(x, i64[1] 3) {axis=2}; z = Gather(e, i)"));
}

TEST_CASE("four_d_gather refuses") {
  CHECK(widened("x: f32[1,1,4,5]; y = Gather(x, i64[1] 3) {axis=3}").refuses("already"));
  CHECK(widened("x: f32[1,4,5]; y = Gather(x, i64[] 3) {axis=1}").refuses("rank 3"));
  CHECK(widened("x: f32[1,1,4,5]; i: i64[2,2]; y = Gather(x, i) {axis=1}").refuses("rank 2"));
  CHECK(widened("x: f32[1,1,4,5]; i: i64; y = Gather(x, i) {axis=1}").refuses("not known"));
}
