#include <graft/lower/four_d/reduction.hpp>

#include <cstdint>
#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>
#include "same_elements.hpp"

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
  CHECK(rows("x: f32[2,3,4,5]; y = ReduceMax(x) {axes=[3]}").refuses("24 maxima, and 12"));
  CHECK(rows("x: f32[1,3,4,5]; y = ReduceMax(x) {axes=[2]}").refuses("last axis"));
  CHECK(rows("x: f32[1,3,4,5]; y = ReduceMax(x)").refuses("last axis"));
  CHECK(rows("x: f32[3,4,5]; y = ReduceMax(x) {axes=[-1]}").refuses("rank 3"));
  CHECK(rows("x: f32[1,3,4,5]; y = Reshape(ReduceMax(x) {axes=[3]}, i64[4] {1,1,1,12})").refuses("already"));
}

namespace {

std::string summed(const std::string& shape, const std::string& axes = "i64[1] {-1}", const char* attributes = "") {
  return "y = ReduceSum(Reshape(x, " + shape + "), " + axes + ")" + attributes;
}

Trial sliced(const std::string& text) { return given(text).pass(reshape_reduce_sum_to_slices()); }

}  // namespace

TEST_CASE("sums of parts of the last axis are those of slices of it") {
  const std::string x = "x: f32[1,3,5,8]; ";
  CHECK(sliced(x + summed("i64[5] {1,3,5,2,4}", "i64[1] {-1}", "{keepdims=0}"))
            .becomes(x + "last = i64[1] 3; middle = i64[1] 4; a = Slice(x, i64[1] 0, middle, last);"
                         "b = Slice(x, middle, i64[1] 8, last);"
                         "y = Concat(ReduceSum(a, last), ReduceSum(b, last)) {axis=3}"));
  CHECK(sliced(x + summed("i64[5] {1,3,5,4,2}", "i64[1] 4", "{keepdims=0}")).equivalent());
  CHECK(sliced(x + summed("i64[5] {0,0,0,2,-1}", "i64[1] 4", "{keepdims=0}")).tidy());
}

TEST_CASE("sums of slices are the same where their shape is another") {
  const auto same = [](const std::string& text) { return same_elements(text, reshape_reduce_sum_to_slices()); };
  CHECK(same("x: f32[1,3,5,8]; " + summed("i64[5] {1,3,5,2,4}")));
  CHECK(same("x: f32[1,3,5,6]; " + summed("i64[4] {1,15,3,2}")));
  CHECK(same("x: f32[2,5,6]; " + summed("i64[3] {10,2,3}", "i64[1] 2", "{keepdims=0}")));
}

TEST_CASE("sums of slices before the axes were an input") {
  CHECK(given("opset 11; x: f32[1,3,5,8]; "
              "y = ReduceSum(Reshape(x, i64[5] {1,3,5,2,4})) {axes=[4],keepdims=0}")
            .pass(reshape_reduce_sum_to_slices())
            .equivalent());
}

TEST_CASE("reshape_reduce_sum_to_slices refuses") {
  CHECK(sliced("x: f32[1,3,5,8]; " + summed("i64[4] {1,3,10,4}")).refuses("two axes"));
  CHECK(sliced("x: f32[1,3,5,8]; " + summed("i64[5] {1,3,5,2,4}", "i64[1] 3")).refuses("last axis alone"));
  CHECK(sliced("x: f32[1,3,5,8]; " + summed("i64[5] {1,3,5,2,4}", "i64[2] {3,4}")).refuses("last axis alone"));
  CHECK(sliced("x: f32[1,3,5,8]; " + summed("i64[5] {1,3,5,1,8}")).refuses("one part"));
  CHECK(sliced("x: f32[1,3,5,40]; " + summed("i64[5] {1,3,5,20,2}")).refuses("too many"));
  CHECK(sliced("x: f32[1,3,5,N]; " + summed("i64[5] {1,3,5,2,-1}")).refuses("not known"));
  CHECK(sliced("x: f32[1,3,5,8]; h = Reshape(x, i64[5] {1,3,5,2,4}); y = ReduceSum(h, i64[1] 4);"
               "z = Relu(h)")
            .refuses("alone"));
}

namespace {

std::string summed(const std::string& shape, const std::string& axes = "i64[1] {-1}", const char* attributes = "") {
  return "y = ReduceSum(Clip(Reshape(x, " + shape + "), f32[] -0.5, f32[] 0.5), " + axes + ")" + attributes;
}

Trial sliced(const std::string& text) { return given(text).pass(reshape_clip_reduce_sum_to_slices()); }

}  // namespace

TEST_CASE("sums of parts of the last axis behind a Clip are those of slices of it") {
  const std::string x = "x: f32[1,3,5,8]; ";
  CHECK(sliced(x + summed("i64[5] {1,3,5,2,4}", "i64[1] {-1}", "{keepdims=0}"))
            .becomes(x + "last = i64[1] 3; middle = i64[1] 4; low = f32[] -0.5; high = f32[] 0.5;"
                         "a = Clip(Slice(x, i64[1] 0, middle, last), low, high);"
                         "b = Clip(Slice(x, middle, i64[1] 8, last), low, high);"
                         "y = Concat(ReduceSum(a, last), ReduceSum(b, last)) {axis=3}"));
  CHECK(sliced(x + summed("i64[5] {1,3,5,4,2}", "i64[1] 4", "{keepdims=0}")).equivalent());
  CHECK(sliced(x + summed("i64[5] {0,0,0,2,-1}", "i64[1] 4", "{keepdims=0}")).tidy());
}

TEST_CASE("sums of slices behind a Clip are the same where their shape is another") {
  const auto same = [](const std::string& text) { return same_elements(text, reshape_clip_reduce_sum_to_slices()); };
  CHECK(same("x: f32[1,3,5,8]; " + summed("i64[5] {1,3,5,2,4}")));
  CHECK(same("x: f32[1,3,5,6]; " + summed("i64[4] {1,15,3,2}")));
  CHECK(same("x: f32[2,5,6]; " + summed("i64[3] {10,2,3}", "i64[1] 2", "{keepdims=0}")));
}

TEST_CASE("sums of slices behind a Clip before the axes were an input") {
  CHECK(given("opset 11; x: f32[1,3,5,8]; "
              "y = ReduceSum(Clip(Reshape(x, i64[5] {1,3,5,2,4}), f32[] -0.5, f32[] 0.5)) "
              "{axes=[4], keepdims=0}")
            .pass(reshape_clip_reduce_sum_to_slices())
            .equivalent());
}

TEST_CASE("reshape_clip_reduce_sum_to_slices refuses") {
  CHECK(sliced("x: f32[1,3,5,8]; " + summed("i64[4] {1,3,10,4}")).refuses("two axes"));
  CHECK(sliced("x: f32[1,3,5,8]; " + summed("i64[5] {1,3,5,2,4}", "i64[1] 3")).refuses("last axis alone"));
  CHECK(sliced("x: f32[1,3,5,8]; " + summed("i64[5] {1,3,5,2,4}", "i64[2] {3,4}")).refuses("last axis alone"));
  CHECK(sliced("x: f32[1,3,5,8]; " + summed("i64[5] {1,3,5,1,8}")).refuses("one part"));
  CHECK(sliced("x: f32[1,3,5,40]; " + summed("i64[5] {1,3,5,20,2}")).refuses("too many"));
  CHECK(sliced("x: f32[1,3,5,N]; " + summed("i64[5] {1,3,5,2,-1}")).refuses("not known"));
  CHECK(sliced("x: f32[1,3,5,8]; h = Reshape(x, i64[5] {1,3,5,2,4});"
               "y = ReduceSum(Clip(h, f32[] -0.5, f32[] 0.5), i64[1] 4);"
               "z = Relu(h)")
            .refuses("alone"));
}

TEST_CASE("LpNormalization goes along the last of four axes") {
  CHECK(given("x: f32[1,2,4,5]; y = LpNormalization(x) {axis=2, p=1}")
            .pass(four_d_lp_normalization())
            .becomes("x: f32[1,2,4,5]; y = LpNormalization(x) {axis=-1, p=1}"));
  CHECK(given("x: f32[1,2,4,5]; y = LpNormalization(x) {axis=2}").pass(four_d_lp_normalization()).idempotent());
  CHECK(given("x: f32[1,2,4,5]; y = LpNormalization(x)").pass(four_d_lp_normalization()).refuses("already"));
  CHECK(given("x: f32[2,4,5]; y = LpNormalization(x) {axis=1}").pass(four_d_lp_normalization()).refuses("rank 3"));
}
