#include <graft/lower/four_d/movement.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("a Slice along the last of fewer axes goes along the last of four") {
  const std::string head = "x: f32[1,2,4,5]; a = i64[1] {2}; ";
  CHECK(given(head + "y = Slice(x, i64[1] 1, i64[1] 3, a); z = ReduceSum(x, a)")
            .pass(four_d_slice())
            .changes_signature()
            .becomes(head + "y = Slice(x, i64[1] 1, i64[1] 3, i64[1] {-1}); z = ReduceSum(x, a)"));
  CHECK(given("x: f32[1,2,4,5]; y = Slice(x, i64[1] 1, i64[1] 3, i64[1] 1, i64[1] 2)")
            .pass(four_d_slice())
            .changes_signature()
            .becomes("x: f32[1,2,4,5]; y = Slice(x, i64[1] 1, i64[1] 3, i64[1] {-1}, i64[1] 2)"));
  CHECK(given("opset 9; x: f32[1,2,4,5]; y = Slice(x) {starts=[1], ends=[3], axes=[2]}")
            .pass(four_d_slice())
            .changes_signature()
            .becomes("opset 9; x: f32[1,2,4,5]; y = Slice(x) {starts=[1], ends=[3], axes=[-1]}"));
}

TEST_CASE("four_d_slice refuses") {
  const auto refuses = [](const std::string& text, std::string_view why, const Ints& axes = {1, 2}) {
    return given(text).pass(four_d_slice(axes)).refuses(why);
  };
  CHECK(refuses("x: f32[1,2,4,5]; y = Slice(x, i64[2] 1, i64[2] 3, i64[2] {1,2})", "several"));
  CHECK(refuses("x: f32[1,2,4,5]; y = Slice(x, i64[1] 0, i64[1] 1, i64[1] 0)", "not one of the given axes"));
  CHECK(refuses("x: f32[1,2,4,5]; y = Slice(x, i64[1] 0, i64[1] 1, i64[1] {-1})", "not one of the given axes"));
  CHECK(refuses("x: f32[1,2,4,5]; y = Slice(x, i64[1] 0, i64[1] 1, i64[1] 1)", "not one of the given axes", {2}));
  CHECK(refuses("x: f32[2,4,5]; y = Slice(x, i64[1] 0, i64[1] 1, i64[1] 1)", "rank 3"));
  CHECK(refuses("x: f32[1,2,4,5]; y = Slice(x, i64[4] 0, i64[4] 1)", "not given"));
}
