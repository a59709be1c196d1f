#include <graft/lower/resize.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string head = "opset 18; x: f32[N,2,4,5]; ";

Trial widened(const std::string& text) { return given(head + text).pass(resize_all_axes()); }

}  // namespace

TEST_CASE("a Resize of some axes names the scales of all") {
  const Trial trial = widened("y = Resize(x, _, f32[2] {2, 3}) {axes=[-1, 2], mode=\"nearest\"}");
  CHECK(trial.becomes(head + "y = Resize(x, _, f32[4] {1, 1, 3, 2}) {mode=\"nearest\"}"));
  CHECK(trial.equivalent({.dims = {{"N", 3}}}));
  CHECK(widened("roi: f32[4]; y = Resize(x, roi, f32[2] {2, 3}) {axes=[2, 3]}")
            .becomes(head + "roi: f32[4]; y = Resize(x, _, f32[4] {1, 1, 2, 3})"));
}

TEST_CASE("or the sizes, those of other axes from known extents or else as the model runs") {
  const std::string fixed = "opset 18; x: f32[1,2,4,5]; ";
  const Trial known =
      given(fixed + "y = Resize(x, _, _, i64[1] {7}) {axes=[3], mode=\"linear\"}").pass(resize_all_axes());
  CHECK(known.becomes(fixed + "y = Resize(x, _, _, i64[4] {1, 2, 4, 7}) {mode=\"linear\"}"));
  CHECK(known.equivalent());
  const Trial symbolic = widened("y = Resize(x, _, _, i64[1] {7}) {axes=[3], mode=\"linear\"}");
  CHECK(symbolic.becomes(head + "s = ScatterElements(Shape(x), i64[1] {3}, i64[1] {7});"
                                "y = Resize(x, _, _, s) {mode=\"linear\"}"));
  CHECK(symbolic.equivalent({.dims = {{"N", 3}}}));
  const Trial computed = widened("k: f32[1]; y = Resize(x, _, Clip(k, f32[] 1, f32[] 2)) {axes=[2]}");
  CHECK(computed.becomes(head + "k: f32[1]; s = ScatterElements(f32[4] 1, i64[1] {2}, Clip(k, f32[] 1, f32[] 2));"
                                "y = Resize(x, _, s)"));
  CHECK(computed.equivalent({.dims = {{"N", 1}}}));
}

TEST_CASE("a Resize in a body does too") {
  const std::string before =
      "y = If(c) {then_branch={ t = Resize(x, _, f32[1] {2}) {axes=[2]}; return t },"
      "else_branch={ e = Relu(x); return e }}";
  const std::string behind =
      "y = If(c) {then_branch={ t = Resize(x, _, f32[4] {1, 1, 2, 1}); return t },"
      "else_branch={ e = Relu(x); return e }}";
  CHECK(given("opset 18; c: bool[]; x: f32[1,2,4,5];" + before)
            .pass(resize_all_axes())
            .becomes("opset 18; c: bool[]; x: f32[1,2,4,5];" + behind));
}

TEST_CASE("what depends on the axes besides keeps them") {
  for (const char* const text : {
           "y = Resize(x, f32[4] {0, 0, 1, 1}, f32[2] {2, 2})"
           "{axes=[2, 3], coordinate_transformation_mode=\"tf_crop_and_resize\"}",
           "y = Resize(x, _, _, i64[2] {8, 8}) {axes=[2, 3], keep_aspect_ratio_policy=\"not_larger\"}",
           "y = Resize(x, _, f32[2] {2, 2}) {axes=[2, 4]}",
           "y = Resize(x, _, f32[1] {2}) {axes=[2, 3]}",
           "y = Resize(x, _, f32[4] {1, 1, 2, 2})",
       })
    CHECK(widened(text).becomes(head + text));
  const std::string unknown = "opset 18; x: f32; y = Resize(x, _, f32[2] {2, 2}) {axes=[2, 3]}";
  CHECK(given(unknown).pass(resize_all_axes()).becomes(unknown));
}
