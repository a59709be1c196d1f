#include <graft/quantize/calibrate/observe_histograms.hpp>

#include <vector>

#include <catch2/catch.hpp>

#include <graft/rewrite/context.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

TEST_CASE("histograms of every tensor are provided, over all samples", "[quantize]") {
  Model model = graph("x: f32[2]; y = Neg(x)");
  const auto sample = [](float a, float b) { return Feeds{{"x", Tensor::of<float>({2}, {a, b})}}; };
  Context context;
  std::size_t total = 0;
  context.progress = [&](const Progress& at) { total = at.total; };
  observe_histograms(std::vector<Feeds>{sample(1, 2), sample(3, 4)}).run(model, context);
  const auto& histograms = *context.facts.find<Statistics<Histogram>>();
  CHECK(histograms.samples == 2);
  CHECK(total == 2);
  CHECK(histograms.find("x")->range() == Range{1, 4});
  CHECK(histograms.find("x")->total() == 4);
  CHECK(histograms.find("y")->range() == Range{-4, -1});
}

TEST_CASE("nothing is provided of a run that is cancelled, and without a sample that is an error", "[quantize]") {
  Model model = graph("x: f32[2]; y = Neg(x)");
  Context context;
  CHECK_THROWS_WITH(observe_histograms(std::vector<Feeds>()).run(model, context),
                    Catch::Contains("there is no sample to calibrate on"));
  context.cancelled = [] { return true; };
  CHECK(observe_histograms(std::vector<Feeds>(1)).run(model, context).outcome == Outcome::cancelled);
  CHECK(context.facts.find<Statistics<Histogram>>() == nullptr);
}
