#include <graft/simplify/fuse/min_max_to_clip.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

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

TEST_CASE("a bound of rank 1 may raise the rank of what is not known to have one") {
  for (const std::string_view x : {"x: f32", "x: f32[]"}) {
    CHECK(given(std::string(x) + "; y = Max(x, f32[1] 0)").rule(max_0_to_relu).refuses("rank"));
    CHECK(given(std::string(x) + "; y = Min(x, f32[1] 6)").rule(min_to_clip).refuses("rank"));
  }
  CHECK(given("x: f32; y = Max(x, f32[] 0)").rule(max_0_to_relu).becomes("x: f32; y = Relu(x)"));
}
