#include <graft/lower/four_d/reduction.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "lower/four_d/same_elements.hpp"

using namespace graft;

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
  CHECK(sliced("x: f32[1,3,5,8]; " + summed("i64[4] {1,3,10,4}")).refuses("split the last axis into two"));
  CHECK(sliced("x: f32[1,3,5,8]; " + summed("i64[5] {1,3,5,2,4}", "i64[1] 3")).refuses("last axis alone"));
  CHECK(sliced("x: f32[1,3,5,8]; " + summed("i64[5] {1,3,5,2,4}", "i64[2] {3,4}")).refuses("last axis alone"));
  CHECK(sliced("x: f32[1,3,5,8]; " + summed("i64[5] {1,3,5,1,8}")).refuses("number of parts"));
  CHECK(sliced("x: f32[1,3,5,40]; " + summed("i64[5] {1,3,5,20,2}")).refuses("number of parts"));
  CHECK(sliced("x: f32[1,3,5,N]; " + summed("i64[5] {1,3,5,2,-1}")).refuses("not known"));
  CHECK(sliced("x: f32[1,3,5,8]; h = Reshape(x, i64[5] {1,3,5,2,4});"
               "y = ReduceSum(Clip(h, f32[] -0.5, f32[] 0.5), i64[1] 4);"
               "z = Relu(h)")
            .refuses("alone"));
}
