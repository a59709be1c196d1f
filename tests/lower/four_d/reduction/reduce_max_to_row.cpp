#include <graft/lower/four_d/reduction.hpp>

#include <cstdint>
#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "lower/four_d/same_elements.hpp"

using namespace graft;

namespace {

Trial rows(const std::string& text, std::int64_t count = 12) {
  return given(text).pass(reduce_max_to_row(count)).changes_signature();
}

}  // namespace

TEST_CASE("maxima along the last axis become a row") {
  CHECK(rows("opset 18; x: f32[1,3,4,5]; y = ReduceMax(x, i64[1] {-1}) {keepdims=0}")
            .becomes("opset 18; x: f32[1,3,4,5]; y = Reshape(ReduceMax(x, i64[1] 3), i64[4] {1,1,1,12})"));
  CHECK(rows("x: f32[1,3,4,5]; y = ReduceMax(x) {axes=[3]}")
            .becomes("x: f32[1,3,4,5]; y = Reshape(ReduceMax(x) {axes=[3]}, i64[4] {1,1,1,12})"));
  CHECK(rows("x: f32[1,3,4,5]; y = ReduceMax(x) {axes=[3]}").idempotent());
  CHECK(same_elements("x: f32[1,3,4,5]; y = ReduceMax(x) {axes=[3], keepdims=0}", reduce_max_to_row(12), 0));
}

TEST_CASE("a row of maxima has 3600 unless said") {
  CHECK(given("x: f32[1,60,60,5]; y = ReduceMax(x) {axes=[-1]}")
            .pass(reduce_max_to_row())
            .changes_signature()
            .becomes("x: f32[1,60,60,5]; y = Reshape(ReduceMax(x) {axes=[3]}, i64[4] {1,1,1,3600})"));
}

TEST_CASE("reduce_max_to_row refuses") {
  CHECK(rows("x: f32[2,3,4,5]; y = ReduceMax(x) {axes=[3]}").refuses("24 maxima, 12 expected"));
  CHECK(rows("x: f32[1,3,4,5]; y = ReduceMax(x) {axes=[2]}").refuses("not the last one"));
  CHECK(rows("x: f32[1,3,4,5]; y = ReduceMax(x)").refuses("not the last one"));
  CHECK(rows("x: f32[3,4,5]; y = ReduceMax(x) {axes=[-1]}").refuses("rank 3"));
  CHECK(rows("x: f32[1,3,4,5]; y = Reshape(ReduceMax(x) {axes=[3]}, i64[4] {1,1,1,12})").refuses("already"));
}
