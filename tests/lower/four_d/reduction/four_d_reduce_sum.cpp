#include <graft/lower/four_d/reduction.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Trial widened(const std::string& text) { return given(text).pass(four_d_reduce_sum()).changes_signature(); }

}  // namespace

TEST_CASE("a sum over the axis in the middle goes over axis 2, and keeps the rank") {
  CHECK(widened("x: f32[1,2,4,5]; y = ReduceSum(x, i64[1] 1) {keepdims=0}")
            .becomes("x: f32[1,2,4,5]; y = ReduceSum(x, i64[1] 2)"));
  CHECK(widened("opset 11; x: f32[1,2,4,5]; y = ReduceSum(x) {axes=[1]}")
            .becomes("opset 11; x: f32[1,2,4,5]; y = ReduceSum(x) {axes=[2]}"));
  CHECK(widened("x: f32[1,2,4,5]; y = ReduceSum(x, i64[1] 1)").idempotent());
}

TEST_CASE("other axes of sums stay, and axes that others read") {
  CHECK(widened("x: f32[1,2,4,5]; y = ReduceSum(x, i64[2] {2,3}) {keepdims=0}")
            .becomes("x: f32[1,2,4,5]; y = ReduceSum(x, i64[2] {2,3})"));
  CHECK(widened("x: f32[1,2,4,5]; y = ReduceSum(x) {keepdims=0}").becomes("x: f32[1,2,4,5]; y = ReduceSum(x)"));
  CHECK(widened("a = i64[1] 1; x: f32[1,1,4,5]; y = ReduceSum(x, a); z = Squeeze(x, a)")
            .becomes("a = i64[1] 1; x: f32[1,1,4,5]; y = ReduceSum(x, i64[1] 2); z = Squeeze(x, a)"));
}

TEST_CASE("four_d_reduce_sum refuses") {
  CHECK(widened("x: f32[1,2,4,5]; y = ReduceSum(x, i64[1] {-1})").refuses("already"));
  CHECK(widened("x: f32[1,2,4,5]; y = ReduceSum(x) {keepdims=0, noop_with_empty_axes=1}").refuses("nothing"));
  CHECK(widened("x: f32[2,4,5]; y = ReduceSum(x, i64[1] 1)").refuses("rank 3"));
}
