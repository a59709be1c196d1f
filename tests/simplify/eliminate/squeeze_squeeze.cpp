#include <graft/simplify/eliminate/squeeze_squeeze.hpp>

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
