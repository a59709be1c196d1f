#include <graft/simplify/squeeze.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("squeeze_squeeze counts the axes in the input") {
  CHECK(given("x: f32[1,2,1,3,1]; y = Squeeze(Squeeze(x, i64[1] 2), i64[2] {3, 0})")
            .rule(squeeze_squeeze)
            .becomes("x: f32[1,2,1,3,1]; y = Squeeze(x, i64[3] {0, 2, 4})"));
  CHECK(given("opset 11; x: f32[1,2,1,3]; y = Squeeze(Squeeze(x) {axes=[0]}) {axes=[-2]}")
            .rule(squeeze_squeeze)
            .becomes("opset 11; x: f32[1,2,1,3]; y = Squeeze(x) {axes=[0,2]}"));
  CHECK(given("x: f32; y = Squeeze(Squeeze(x, i64[2] {0, 1}), i64[1] 0)")
            .rule(squeeze_squeeze)
            .becomes("x: f32; y = Squeeze(x, i64[3] {0, 1, 2})"));
}

TEST_CASE("squeeze_squeeze through all variants") {
  const VariantReport report =
      variants(squeeze_squeeze, "x: f32[1,2,1,N,1]; h = Squeeze(x, i64[2] {-1, 0}); y = Squeeze(h, i64[1] 1)");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("axes of %h from the other end")->outcome == Variant::Outcome::equivalent);
  CHECK(variants(squeeze_squeeze,
                 "opset 11; x: f32[1,2,1,N,1]; h = Squeeze(x) {axes=[0]}; y = Squeeze(h) {axes=[1,-1]}"));
}

TEST_CASE("squeeze_squeeze where the outer one takes all") {
  for (const std::string_view inner : {"Squeeze(x)", "Squeeze(x, i64[1] 0)"}) {
    CHECK(given("x: f32[1,2,1,3]; y = Squeeze(" + std::string(inner) + ")")
              .rule(squeeze_squeeze_all)
              .becomes("x: f32[1,2,1,3]; y = Squeeze(x)"));
  }
  CHECK(variants(squeeze_squeeze_all, "x: f32[1,2,1,3]; h = Squeeze(x, i64[1] 0); y = Squeeze(h)"));
  CHECK(given("opset 11; x: f32[1,2,1,3]; y = Squeeze(Squeeze(x) {axes=[0]}) {axes=[1]}")
            .rule(squeeze_squeeze_all)
            .refuses("axes"));
}

TEST_CASE("squeeze_squeeze refuses axes that it does not know") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(squeeze_squeeze).refuses(reason);
  };
  CHECK(refuses("x: f32[1,2,1]; a: i64[1]; y = Squeeze(Squeeze(x, a), i64[1] 0)", "constant"));
  CHECK(refuses("x: f32; y = Squeeze(Squeeze(x, i64[1] -1), i64[1] 0)", "rank"));
  CHECK(refuses("x: f32[1,2,1]; y = Squeeze(Squeeze(x, i64[0] 0), i64[1] 0)", "declines"));
}

TEST_CASE("unsqueeze_unsqueeze counts the axes in the result") {
  CHECK(given("x: f32[2,3]; y = Unsqueeze(Unsqueeze(x, i64[1] 1), i64[2] {0, 3})")
            .rule(unsqueeze_unsqueeze)
            .becomes("x: f32[2,3]; y = Unsqueeze(x, i64[3] {0, 2, 3})"));
  CHECK(given("opset 11; x: f32[2,3]; y = Unsqueeze(Unsqueeze(x) {axes=[-1]}) {axes=[0]}")
            .rule(unsqueeze_unsqueeze)
            .becomes("opset 11; x: f32[2,3]; y = Unsqueeze(x) {axes=[0,3]}"));
}

TEST_CASE("unsqueeze_unsqueeze through all variants") {
  const VariantReport report =
      variants(unsqueeze_unsqueeze, "x: f32[2,N]; h = Unsqueeze(x, i64[2] {2, 0}); y = Unsqueeze(h, i64[2] {1, -1})");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("axes of %y from the other end")->outcome == Variant::Outcome::equivalent);
  CHECK(
      variants(unsqueeze_unsqueeze, "opset 11; x: f32[2,N]; h = Unsqueeze(x) {axes=[0]}; y = Unsqueeze(h) {axes=[0]}"));
}

TEST_CASE("unsqueeze_unsqueeze refuses axes that it does not know") {
  CHECK(given("x: f32[2]; a: i64[1]; y = Unsqueeze(Unsqueeze(x, a), i64[1] 0)")
            .rule(unsqueeze_unsqueeze)
            .refuses("constant"));
}

TEST_CASE("axes that come and go") {
  const std::string head = "x: f32[N,3]; ";
  CHECK(given(head + "y = Neg(Squeeze(Unsqueeze(x, i64[2] {0, 2}), i64[2] {-2, 0}))")
            .rule(squeeze_unsqueeze)
            .becomes(head + "y = Neg(x)"));
  CHECK(given("opset 11; " + head + "y = Neg(Squeeze(Unsqueeze(x) {axes=[1]}) {axes=[1]})")
            .rule(squeeze_unsqueeze)
            .becomes("opset 11; " + head + "y = Neg(x)"));
  CHECK(given("x: f32[1,?]; y = Neg(Unsqueeze(Squeeze(x, i64[1] 0), i64[1] -2))")
            .rule(unsqueeze_squeeze)
            .becomes("x: f32[1,?]; y = Neg(x)"));
  CHECK(given("x: f32[1,3,1]; y = Neg(Unsqueeze(Squeeze(x, i64[1] 0), i64[1] 1))")
            .rule(unsqueeze_squeeze)
            .refuses("axes differ"));
  CHECK(given("x: f32[1,3]; y = Neg(Squeeze(Unsqueeze(x, i64[1] 2), i64[1] 0))")
            .rule(squeeze_unsqueeze)
            .refuses("axes differ"));
  CHECK(given("x: f32[1,3]; a: i64[1]; y = Neg(Squeeze(Unsqueeze(x, a), a))")
            .rule(squeeze_unsqueeze)
            .refuses("constant"));
}

TEST_CASE("squeeze_unsqueeze through all variants") {
  const VariantReport report = variants(
      squeeze_unsqueeze, "x: f32[2,N]; h = Unsqueeze(x, i64[2] {0, 2}); g = Squeeze(h, i64[2] {2, 0}); y = Neg(g)");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
  CHECK(variants(unsqueeze_squeeze,
                 "x: f32[1,N,1]; h = Squeeze(x, i64[2] {0, 2}); g = Unsqueeze(h, i64[2] {2, 0}); y = Neg(g)"));
}

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
