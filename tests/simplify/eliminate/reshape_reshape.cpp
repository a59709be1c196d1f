#include <graft/simplify/eliminate/reshape_reshape.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("reshape_reshape leaves the outer shape, whatever reshapes in front") {
  for (const std::string_view inner : {"Reshape(x, i64[2] {4, 6})", "Flatten(x) {axis=2}", "Unsqueeze(x, i64[1] 1)"}) {
    INFO(inner);
    CHECK(given("x: f32[2,3,4]; y = Reshape(" + std::string(inner) + ", i64[2] {-1, 8})")
              .rule(reshape_reshape)
              .becomes("x: f32[2,3,4]; y = Reshape(x, i64[2] {-1, 8})"));
  }
  CHECK(given("x: f32[1,3,4]; s: i64[2]; y = Reshape(Squeeze(Reshape(x, s)), i64[1] -1)")
            .rule(reshape_reshape)
            .becomes("x: f32[1,3,4]; s: i64[2]; y = Reshape(x, i64[1] -1)"));
  CHECK(given("opset 4; x: f32[2,3]; y = Reshape(Reshape(x) {shape=[3,2]}) {shape=[6]}")
            .rule(reshape_reshape)
            .becomes("opset 4; x: f32[2,3]; y = Reshape(x) {shape=[6]}"));
}

TEST_CASE("reshape_reshape through all variants") {
  const VariantReport report =
      variants(reshape_reshape,
               "x: f32[2,3,N]; s = i64[2] {-1, 2}; r = i64[3] {2, -1, 3}; h = Reshape(x, s); y = Reshape(h, r)");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("%s as an input that callers may override")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("%r as an input that callers may override")->outcome == Variant::Outcome::refused);
}

TEST_CASE("a 0 copies an extent of the inner result") {
  const std::string text = "x: f32[2,3,N]; y = Reshape(Reshape(x, i64[3] {3, 2, -1}), i64[2] {0, -1})";
  CHECK(given(text).rule(reshape_reshape).refuses("copies"));
  CHECK(given(text).rule(reshape_reshape_copying).becomes("x: f32[2,3,N]; y = Reshape(x, i64[2] {3, -1})"));
  CHECK(given("x: f32[2,3,N]; y = Reshape(Reshape(x, i64[2] {-1, 6}), i64[3] {0, 2, 3})")
            .rule(reshape_reshape_copying)
            .becomes("x: f32[2,3,N]; y = Reshape(x, i64[3] {-1, 2, 3})"));
  CHECK(given("x: f32[2,3,N]; y = Reshape(Reshape(x, i64[2] {-1, 6}), i64[3] {0, 2, -1})")
            .rule(reshape_reshape_copying)
            .refuses("declines"));
  CHECK(variants(reshape_reshape_copying,
                 "x: f32[2,3,N]; h = Reshape(x, i64[3] {3, 2, -1}); y = Reshape(h, i64[2] {0, -1})"));
}

TEST_CASE("with allowzero a 0 is meant") {
  const std::string text =
      "x: f32[0,3]; y = Reshape(Reshape(x, i64[2] {3, 0}) {allowzero=1}, i64[2] {7, 0}) {allowzero=1}";
  CHECK(given(text).rule(reshape_reshape).becomes("x: f32[0,3]; y = Reshape(x, i64[2] {7, 0}) {allowzero=1}"));
  CHECK(given(text).rule(reshape_reshape_copying).refuses("allowzero"));
}
