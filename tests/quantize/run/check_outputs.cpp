#include <graft/quantize/run/check_outputs.hpp>

#include <vector>

#include <catch2/catch.hpp>

#include <graft/testing/text.hpp>

#include "support/uniform_samples.hpp"

using namespace graft;

TEST_CASE("a model that later passes have changed is compared with the float model", "[quantize]") {
  Model floats = graph("x: f32[2,16]; a = Abs(x); y = Sqrt(a)");
  Model near = graph("x: f32[2,16]; a = Abs(x); y = Sqrt(Add(a, f32[] 1e-3))");
  Model wrong = graph("x: f32[2,16]; a = Abs(x); y = Sqrt(Sub(a, f32[] 2))");
  const std::vector<Feeds> samples = uniform_samples(4, {2, 16});
  Context context;
  Report report;
  const auto fidelity = check_outputs(floats, near, samples, context, report);
  REQUIRE(fidelity);
  CHECK((fidelity->cosine > 0.999 && fidelity->cosine < 1));
  CHECK_THROWS_WITH(check_outputs(floats, wrong, samples, context, report), Catch::Contains("holds NaN"));
  CHECK_THROWS_WITH(check_outputs(floats, wrong, Ranges{{"x", {-1, 1}}}, context, report),
                    Catch::Contains("on random inputs"));
  CHECK(report.warnings.empty());
}

TEST_CASE("on random inputs a low cosine is a warning", "[quantize]") {
  Model floats = graph("x: f32[2,16]; y = Neg(x)"), other = graph("x: f32[2,16]; y = Identity(x)");
  Context context;
  Report report;
  check_outputs(floats, other, Ranges{{"x", {-1, 1}}}, context, report);
  REQUIRE(report.warnings.size() == 1);
  CHECK_THAT(report.warnings[0], Catch::Contains("cosine of -1.000"));
  CHECK_THROWS_WITH(check_outputs(floats, other, uniform_samples(4, {2, 16}), context, report),
                    Catch::Contains("cosine of -1.000"));
}
