#include <graft/simplify/clip.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("of two bounded activations one is left") {
  const auto becomes = [](std::string_view before, std::string_view after) {
    return given("x: f32[2,N]; y = " + std::string(before))
        .rule(clip_clip)
        .becomes("x: f32[2,N]; y = " + std::string(after));
  };
  CHECK(becomes("Clip(Clip(x, f32[] -2, f32[] 5), f32[] 0, f32[] 6)", "Clip(x, f32[] 0, f32[] 5)"));
  CHECK(given("x: f32[2]; y = Clip(Clip(x, f32[] -2, f32[] 5), f32[] 6, f32[] 7)")
            .rule(clip_clip)
            .becomes("x: f32[2]; c = f32[] 6; y = Clip(x, c, c)"));
  CHECK(becomes("Clip(Relu(x), _, f32[] 6)", "Clip(x, f32[] 0, f32[] 6)"));
  CHECK(becomes("Relu(Clip(x, _, f32[] 6))", "Clip(x, f32[] 0, f32[] 6)"));
  CHECK(becomes("Relu(Clip(x, f32[] -1, f32[] inf))", "Relu(x)"));
  CHECK(becomes("Relu(Relu(x))", "Relu(x)"));
  CHECK(becomes("Clip(Clip(x, f32[] -inf, f32[] 5), f32[] -inf, f32[] 6)", "Clip(x, f32[] -inf, f32[] 5)"));
  CHECK(becomes("Relu(Relu(Clip(Relu(x), _, f32[] 1)))", "Clip(x, f32[] 0, f32[] 1)"));
}

TEST_CASE("where a Clip has no bound, infinities become the greatest number, and so they stay") {
  const auto becomes = [](std::string_view x, std::string_view before, std::string_view after) {
    return given(std::string(x) + before.data()).rule(clip_clip).becomes(std::string(x) + after.data());
  };
  CHECK(becomes("x: f32[N]; ", "y = Clip(Clip(x, f32[] -1), f32[] -2)", "y = Clip(x, f32[] -1)"));
  CHECK(becomes("x: f32[N]; ", "y = Relu(Clip(x, f32[] -1))", "y = Clip(x, f32[] 0)"));
  CHECK(becomes("x: f16[N]; ", "y = Relu(Clip(x, f16[] -1))", "y = Clip(x, f16[] 0)"));
  CHECK(becomes("x: f32[N]; ", "y = Clip(Clip(x, _, f32[] 7), f32[] -inf, f32[] 6)", "y = Clip(x, _, f32[] 6)"));
  CHECK(becomes("opset 8; x: f32[N]; ", "y = Relu(Clip(x) {min=-1})", "y = Clip(x) {min=0}"));
}

TEST_CASE("bounds are attributes before version 11") {
  CHECK(given("opset 8; x: f16[N]; y = Clip(Relu(x)) {max=6}")
            .rule(clip_clip)
            .becomes("opset 8; x: f16[N]; y = Clip(x) {min=0, max=6}"));
  CHECK(given("opset 8; x: f32[N]; y = Relu(Clip(x) {min=-1, max=inf})")
            .rule(clip_clip)
            .becomes("opset 8; x: f32[N]; y = Relu(x)"));
}

TEST_CASE("a ReLU6 spelt as Max and Min becomes one Clip") {
  for (const std::string_view text : {"Max(Min(x, f32[] 6), f32[] 0)", "Min(Max(f32[] 0, x), f32[] 6)",
                                      "Min(f32[] 6, Relu(x))", "Relu(Min(x, f32[] 6))"}) {
    INFO(text);
    CHECK(given("x: f32[N]; y = " + std::string(text))
              .pass(fixpoint(max_0_to_relu, max_to_clip, min_to_clip, clip_clip))
              .becomes("x: f32[N]; y = Clip(x, f32[] 0, f32[] 6)"));
  }
}

TEST_CASE("clip_clip through all variants") {
  const VariantReport report =
      variants(clip_clip, "x: f32[2,3]; a = f32[] -0.25; b = f32[] 0.5; h = Clip(x, a, b); y = Relu(h)");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
  CHECK(report.find("%a as an input that callers may override")->outcome == Variant::Outcome::refused);
  CHECK(variants(clip_clip, "opset 8; x: f32[2,3]; h = Relu(x); y = Clip(h) {min=-0.5, max=0.5}"));
  CHECK(variants(clip_clip, "x: f32[2,3]; h = Clip(x, f32[] -0.25); y = Clip(h, f32[] -0.5, f32[] 0.25)"));
}

TEST_CASE("clip_clip refuses") {
  CHECK(given("x: f32[2]; y = Relu(Clip(x, f32[] 1, f32[] -1))").rule(clip_clip).refuses("above the upper one"));
  CHECK(given("x: f32[2]; m: f32[]; y = Relu(Clip(x, m))").rule(clip_clip).refuses(""));
  CHECK(given("x: f64[2]; y = Relu(Clip(x, f64[] 1))").rule(clip_clip).refuses(""));
}

TEST_CASE("Max and Min with a constant become Relu or Clip, in either order") {
  CHECK(given("x: f32[2,N]; y = Max(f32[] 0, x)").rule(max_0_to_relu).becomes("x: f32[2,N]; y = Relu(x)"));
  CHECK(given("x: f32[2,N]; y = Max(x, f32[1] -1)")
            .rule(max_to_clip)
            .becomes("x: f32[2,N]; y = Clip(x, f32[] -1, f32[] inf)"));
  CHECK(given("x: f16[2,N]; y = Min(f16[] 6, x)")
            .rule(min_to_clip)
            .becomes("x: f16[2,N]; y = Clip(x, f16[] -inf, f16[] 6)"));
  CHECK(given("opset 8; x: f32[2,N]; y = Min(x, f32[] 6)")
            .rule(min_to_clip)
            .becomes("opset 8; x: f32[2,N]; y = Clip(x) {min=-inf, max=6}"));
}

TEST_CASE("min_max_to_clip through all variants") {
  CHECK(variants(max_0_to_relu, "x: f32[2,3]; c = f32[] 0; h = Neg(x); y = Max(h, c)"));
  const VariantReport most = variants(min_to_clip, "x: f32[2,3]; c = f32[] 0.25; y = Min(x, c)");
  CHECK(most);
  CHECK(most.find("opset 8")->outcome == Variant::Outcome::equivalent);
  CHECK(most.find("%c as an input that callers may override")->outcome == Variant::Outcome::refused);
  CHECK(variants(max_to_clip, "x: f32[2,3]; c = f32[] 0.25; y = Max(c, x)"));
}

TEST_CASE("min_max_to_clip refuses") {
  CHECK(given("x: f32[2,3]; y = Max(x, f32[3] {0, 1, 2})").rule(max_to_clip).refuses(""));
  CHECK(given("x: f32[2,3]; y = Max(x, f32[] 1, f32[] 2)").rule(max_to_clip).refuses(""));
  CHECK(given("x: f64[2,3]; y = Min(x, f64[] 1)").rule(min_to_clip).refuses(""));
  CHECK(given("x: i32[2,3]; y = Max(x, i32[] 0)").rule(max_0_to_relu).refuses(""));
}

TEST_CASE("Max and Min hand a NaN on, as Clip does only from its input") {
  CHECK(given("x: f32[2,3]; y = Max(x, f32[] nan)").rule(max_to_clip).refuses("not a number"));
  CHECK(given("x: f32[2,3]; y = Min(x, f32[] nan)").rule(min_to_clip).refuses("not a number"));
}

TEST_CASE("a bound of rank 1 may raise an unknown rank") {
  for (const std::string_view x : {"x: f32", "x: f32[]"}) {
    CHECK(given(std::string(x) + "; y = Max(x, f32[1] 0)").rule(max_0_to_relu).refuses("rank"));
    CHECK(given(std::string(x) + "; y = Min(x, f32[1] 6)").rule(min_to_clip).refuses("rank"));
  }
  CHECK(given("x: f32; y = Max(x, f32[] 0)").rule(max_0_to_relu).becomes("x: f32; y = Relu(x)"));
}
