#include <graft/lower/four_d/reduction.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "lower/four_d/same_elements.hpp"

using namespace graft;

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
  CHECK(sliced("x: f32[1,3,5,8]; " + summed("i64[4] {1,3,10,4}")).refuses("split the last axis into two"));
  CHECK(sliced("x: f32[1,3,5,8]; " + summed("i64[5] {1,3,5,2,4}", "i64[1] 3")).refuses("last axis alone"));
  CHECK(sliced("x: f32[1,3,5,8]; " + summed("i64[5] {1,3,5,2,4}", "i64[2] {3,4}")).refuses("last axis alone"));
  CHECK(sliced("x: f32[1,3,5,8]; " + summed("i64[5] {1,3,5,1,8}")).refuses("number of parts"));
  CHECK(sliced("x: f32[1,3,5,40]; " + summed("i64[5] {1,3,5,20,2}")).refuses("number of parts"));
  CHECK(sliced("x: f32[1,3,5,N]; " + summed("i64[5] {1,3,5,2,-1}")).refuses("not known"));
  CHECK(sliced("x: f32[1,3,5,8]; h = Reshape(x, i64[5] {1,3,5,2,4}); y = ReduceSum(h, i64[1] 4);"
               "z = Relu(h)")
            .refuses("alone"));
}
