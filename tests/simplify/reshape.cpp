#include <graft/simplify/reshape.hpp>

#include <catch2/catch.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/simplify/simplify.hpp>
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

namespace {

/// The heads of x apart, as exporters write it.
const std::string heads =
    "b = Unsqueeze(Gather(Shape(x), i64[] 0), i64[1] 0); n = Unsqueeze(Gather(Shape(x), i64[] 1), i64[1] 0);"
    "y = Reshape(x, Concat(b, n, i64[1] 4, i64[1] 2) {axis=0})";

}  // namespace

TEST_CASE("a target that is put together from extents of the input copies them") {
  CHECK(given("x: f32[B,N,8];" + heads)
            .rule(known_reshape_target)
            .becomes("x: f32[B,N,8]; y = Reshape(x, i64[4] {0, 0, 4, 2})"));
  CHECK(given("x: f32[B,3,8];" + heads)
            .rule(known_reshape_target)
            .becomes("x: f32[B,3,8]; y = Reshape(x, i64[4] {0, 3, 4, 2})"));
  CHECK(given("x: f32[B,4,N,2]; s = Slice(Shape(x), i64[1] 0, i64[1] 1);"
              "y = Reshape(Relu(x), Concat(s, i64[1] {-1}, i64[1] 2) {axis=0})")
            .rule(known_reshape_target)
            .becomes("x: f32[B,4,N,2]; y = Reshape(Relu(x), i64[3] {0, -1, 2})"));
}

TEST_CASE("an extent of another value counts if it is the same one") {
  const std::string text = "y = Reshape(x, Concat(Gather(Shape(z), i64[1] 0), i64[1] 8) {axis=0})";
  CHECK(given("x: f32[B,2,4]; z: f32[B];" + text)
            .rule(known_reshape_target)
            .becomes("x: f32[B,2,4]; z: f32[B]; y = Reshape(x, i64[2] {0, 8})"));
  // The element without a place in x is the inferred one.
  CHECK(given("x: f32[2,B,4]; z: f32[B];" + text)
            .rule(known_reshape_target)
            .becomes("x: f32[2,B,4]; z: f32[B]; y = Reshape(x, i64[2] {-1, 8})"));
  CHECK(given("x: f32; z: f32[B];" + text)
            .rule(known_reshape_target)
            .becomes("x: f32; z: f32[B]; y = Reshape(x, i64[2] {-1, 8})"));
}

TEST_CASE("only one extent can be left") {
  for (const std::string_view text :
       {"x: f32[A,B,C]; y = Reshape(x, Concat(Gather(Shape(x), i64[1] 1), Gather(Shape(x), i64[1] 2), i64[1] {-1})"
        "{axis=0})",
        "x: f32[A,B,C]; y = Reshape(x, Concat(Gather(Shape(x), i64[1] 1), i64[1] {-1}) {axis=0})",
        "x: f32[A,B]; s: i64[2]; y = Reshape(x, s)", "x: f32[A,B]; s: i64[N]; y = Reshape(x, s)"}) {
    INFO(text);
    CHECK(given(text).rule(known_reshape_target).refuses(""));
  }
  CHECK(given("x: f32[A,2]; y = Reshape(x, i64[1] {-1})").rule(known_reshape_target).refuses("constant"));
}

TEST_CASE("where a 0 is meant it is not taken for a copy") {
  const std::string target = "y = Reshape(x, Concat(Gather(Shape(x), i64[1] 0), i64[1] ";
  CHECK(given("x: f32[B,8];" + target + "8) {axis=0}) {allowzero=1}")
            .rule(known_reshape_target)
            .becomes("x: f32[B,8]; y = Reshape(x, i64[2] {0, 8})"));
  CHECK(given("x: f32[B,8];" + target + "0) {axis=0}) {allowzero=1}").rule(known_reshape_target).refuses("several"));
  CHECK(given("x: f32[B,8]; z: f32[0]; y = Reshape(x, Concat(Shape(z), i64[1] 3) {axis=0}) {allowzero=1}")
            .rule(known_reshape_target)
            .becomes("x: f32[B,8]; z: f32[0]; y = Reshape(x, i64[2] {0, 3}) {allowzero=1}"));
}

TEST_CASE("known_reshape_target through all variants") {
  const VariantReport report = variants(known_reshape_target, "x: f32[B,N,8];" + heads);
  CHECK(report);
  CHECK(report.find("as given")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("an Expand keeps its input's extents by 1") {
  CHECK(given("x: f32[B,1,N]; y = Expand(x, Concat(Gather(Shape(x), i64[1] 0), i64[1] 3, Gather(Shape(x), i64[1] 2))"
              "{axis=0})")
            .rule(known_expand_target)
            .becomes("x: f32[B,1,N]; y = Expand(x, i64[3] {1, 3, 1})"));
  CHECK(given("x: f32[N]; z: f32[2,N]; y = Expand(x, Shape(z))")
            .rule(known_expand_target)
            .becomes("x: f32[N]; z: f32[2,N]; y = Expand(x, i64[2] {2, 1})"));
  for (const std::string_view text :
       {"x: f32[1,N]; z: f32[B,N]; y = Expand(x, Shape(z))", "x: f32[N]; z: f32[N,2]; y = Expand(x, Shape(z))",
        "x: f32; z: f32[N]; y = Expand(x, Shape(z))"}) {
    INFO(text);
    CHECK(given(text).rule(known_expand_target).refuses("neither known"));
  }
  CHECK(variants(known_expand_target, "x: f32[1,N]; z: f32[3,N]; s = Shape(z); y = Expand(x, s)"));
}

TEST_CASE("the -1 of an exporter's Expand is known not to be") {
  CHECK(given("x: f32[B,1,N]; s = Shape(x); o = ConstantOfShape(i64[1] 3) {value=i64[1] 1};"
              "c = Concat(Gather(s, i64[1] 0), i64[1] 4, i64[1] {-1}) {axis=0};"
              "y = Expand(x, Where(Equal(c, i64[3] {-1, -1, -1}), o, c))")
            .pass(simplify())
            .becomes("x: f32[B,1,N]; y = Expand(x, i64[3] {1, 4, 1})"));
}
