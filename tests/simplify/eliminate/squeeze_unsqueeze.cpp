#include <graft/simplify/eliminate/squeeze_unsqueeze.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

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
