#include <graft/simplify/activation.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("what is done twice is done once") {
  CHECK(given("x: f32[N]; y = Abs(Abs(x))").rule(repeated_abs).becomes("x: f32[N]; y = Abs(x)"));
  CHECK(given("x: i32[N]; y = Relu(Relu(x))").rule(repeated_relu).becomes("x: i32[N]; y = Relu(x)"));
  CHECK(given("x: f32; y = Sign(Sign(x))").rule(repeated_sign).becomes("x: f32; y = Sign(x)"));
  for (const std::string g : {"Ceil", "Floor", "Round"})
    for (const std::string f : {"Ceil", "Floor", "Round"})
      CHECK(given("x: f32[N]; y = Neg(" + f + "(" + g + "(x)))")
                .rule(repeated_round)
                .becomes("x: f32[N]; y = Neg(" + g + "(x))"));
  CHECK(given("x: f32[N]; y = Ceil(Abs(Ceil(x)))").rule(repeated_round).refuses());
}

TEST_CASE("idempotent operators through all variants") {
  CHECK(variants(repeated_abs, "x: f32[2,N]; h = Abs(x); g = Abs(h); y = Neg(g)"));
  CHECK(variants(repeated_relu, "x: f32[2,N]; h = Relu(x); g = Relu(h); y = Neg(g)"));
  CHECK(variants(repeated_sign, "x: f32[2,N]; h = Sign(x); g = Sign(h); y = Neg(g)"));
  const VariantReport report = variants(repeated_round, "x: f32[2,N]; h = Floor(x); g = Ceil(h); y = Neg(g)");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
}
