#include <graft/simplify/eliminate/squeeze_reshape.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

TestResult becomes(const RuleView& rule, const std::string& head, const std::string& before, const std::string& after) {
  return given(head + "; y = " + before).rule(rule).becomes(head + "; y = " + after);
}
TestResult refuses(const RuleView& rule, const std::string& text) { return given(text).rule(rule).refuses(""); }

}  // namespace

TEST_CASE("Squeeze behind Reshape takes extents out of its shape") {
  const std::string head = "x: f32[M,N,6]";
  CHECK(becomes(squeeze_reshape, head, "Squeeze(Reshape(x, i64[4] {0, -1, 1, 3}), i64[1] 2)",
                "Reshape(x, i64[3] {0, -1, 3})"));
  CHECK(becomes(squeeze_reshape, head, "Squeeze(Reshape(x, i64[4] {0, 1, -1, 1}), i64[2] {-1, 1})",
                "Reshape(x, i64[2] {0, -1})"));
  CHECK(becomes(squeeze_reshape, "opset 11; x: f32[M,N,6]", "Squeeze(Reshape(x, i64[3] {1, -1, 3})) {axes=[0]}",
                "Reshape(x, i64[2] {-1, 3})"));
  // A 0 that copies an extent would copy another.
  CHECK(refuses(squeeze_reshape, head + "; y = Squeeze(Reshape(x, i64[4] {1, 0, -1, 3}), i64[1] 0)"));
  CHECK(refuses(squeeze_reshape, head + "; y = Squeeze(Reshape(x, i64[3] {0, -1, 6}), i64[1] 1)"));
  CHECK(refuses(squeeze_reshape, head + "; s: i64[3]; y = Squeeze(Reshape(x, s), i64[1] 1)"));
  CHECK(variants(squeeze_reshape,
                 "x: f32[2,3,6]; r = Reshape(x, i64[4] {0, -1, 1, 3}); h = Squeeze(r, i64[1] 2); y = Neg(h)"));
}

TEST_CASE("Unsqueeze behind Reshape puts ones into its shape") {
  const std::string head = "x: f32[M,N,6]";
  CHECK(becomes(unsqueeze_reshape, head, "Unsqueeze(Reshape(x, i64[3] {0, -1, 3}), i64[2] {4, 2})",
                "Reshape(x, i64[5] {0, -1, 1, 3, 1})"));
  CHECK(becomes(unsqueeze_reshape, head, "Unsqueeze(Reshape(x, i64[2] {0, -1}), i64[1] -1)",
                "Reshape(x, i64[3] {0, -1, 1})"));
  CHECK(becomes(unsqueeze_reshape, "opset 11; x: f32[M,N,6]", "Unsqueeze(Reshape(x, i64[2] {-1, 3})) {axes=[0]}",
                "Reshape(x, i64[3] {1, -1, 3})"));
  CHECK(becomes(unsqueeze_reshape, "opset 14; x: f32[M,0,6]",
                "Unsqueeze(Reshape(x, i64[2] {0, 6}) {allowzero=1}, i64[1] 0)",
                "Reshape(x, i64[3] {1, 0, 6}) {allowzero=1}"));
  CHECK(refuses(unsqueeze_reshape, head + "; y = Unsqueeze(Reshape(x, i64[2] {0, -1}), i64[1] 0)"));
  CHECK(variants(unsqueeze_reshape,
                 "x: f32[2,3,6]; r = Reshape(x, i64[3] {0, -1, 3}); h = Unsqueeze(r, i64[1] 2); y = Neg(h)"));
}

TEST_CASE("what gives known extents to what was given others is one Reshape") {
  const auto one = [](const std::string& type, const std::string& before, const std::string& target) {
    INFO(before);
    const std::string head = "x: f32" + type;
    CHECK(becomes(known_reshaping, head, before, "Reshape(x, i64" + target + ")"));
  };
  one("[2,3,4]", "Flatten(Reshape(x, i64[3] {0, 4, 3}))", "[2] {2, 12}");
  one("[N,3,4]", "Flatten(Reshape(x, i64[3] {0, 4, 3}))", "[2] {-1, 12}");
  one("[2,3,N]", "Flatten(Reshape(x, i64[3] {0, -1, 3}))", "[2] {2, -1}");
  one("[2,3,4]", "Flatten(Unsqueeze(x, i64[1] 0)) {axis=2}", "[2] {2, 12}");
  one("[N,3,4]", "Flatten(Flatten(x)) {axis=0}", "[2] {1, -1}");
  one("[2,1,N]", "Unsqueeze(Squeeze(x, i64[1] 1), i64[1] 0)", "[3] {1, 2, -1}");
  one("[N,3,4]", "Unsqueeze(Flatten(x), i64[1] 1)", "[3] {-1, 1, 12}");
  one("[1,3,1]", "Squeeze(Unsqueeze(x, i64[1] 1))", "[1] {3}");
  one("[M,N,4]", "Unsqueeze(Flatten(x) {axis=2}, i64[1] 1)", "[3] {-1, 1, 4}");
  one("[M,N,2]", "Flatten(Reshape(x, i64[3] {0, 0, 2})) {axis=2}", "[2] {-1, 2}");
  CHECK(refuses(known_reshaping, "x: f32[M,1,N]; y = Unsqueeze(Squeeze(x, i64[1] 1), i64[1] 0)"));
  CHECK(refuses(known_reshaping, "x: f32[0,1,4]; y = Unsqueeze(Squeeze(x, i64[1] 1), i64[1] 0)"));
  CHECK(refuses(known_reshaping, "x: f32[M,N,K]; y = Flatten(Reshape(x, i64[4] {0, 0, -1, 2})) {axis=1}"));
  CHECK(variants(known_reshaping, "x: f32[2,3,4]; r = Reshape(x, i64[3] {0, 4, 3}); h = Flatten(r); y = Neg(h)"));
  CHECK(variants(known_reshaping, "x: f32[2,1,4]; r = Squeeze(x, i64[1] 1); h = Unsqueeze(r, i64[1] 0); y = Neg(h)"));
}
