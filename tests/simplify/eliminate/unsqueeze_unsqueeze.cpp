#include <graft/simplify/eliminate/unsqueeze_unsqueeze.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

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
