#include <graft/quantize/tune/nearest_ranges.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/calibrate/observers/from_extremes.hpp>
#include <graft/quantize/calibrate/observers/from_histogram.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

constexpr Target target = targets::ort_cpu_x64;

Pass quantize() {
  return inject_qdq(target, Placement::all_supported) | quantize_weights(Granularity::per_tensor, target);
}

/// Values from 0 to 1, and one outlier of 1000.
std::vector<Feeds> with_outlier() {
  std::vector<float> values;
  for (int i = 0; i < 64 * 64; ++i) values.push_back(static_cast<float>(i) / 4096);
  values[100] = 1000;
  return {{{"x", Tensor::of<float>({1, 1, 64, 64}, values)}}};
}

const std::string conv = "x: f32[1,1,64,64]; w = f32[1,1,1,1] {1}; ";
const std::string clips = conv + "y = Clip(Conv(x, w), f32[] 0, f32[] 1)";  // what the outlier is does not matter
const std::string keeps = conv + "y = Conv(x, w)";                          // nothing else matters

std::vector<RangeMethod> methods() {
  return {RangeMethod("min-max", MinMax()), RangeMethod("percentile", Percentile{99.9}),
          RangeMethod("min-max again", MinMax())};
}

std::string nearest(const std::string& text, Range& x) {
  Model model = graph(text);
  Context context;
  const Report report =
      (observe_histograms(with_outlier()) | nearest_ranges(quantize(), with_outlier(), MakeEvaluator(), {methods()}))
          .run(model, context);
  x = *context.facts.find<Ranges>()->find("x");
  CHECK(report.steps[1].notes.size() == 4);
  CHECK(model.graph().nodes().size() == graph(text).graph().nodes().size());
  return report.steps[1].notes.back();
}

}  // namespace

TEST_CASE("the ranges are those with which outputs are nearest to float", "[quantize]") {
  Range x;
  CHECK(nearest(clips, x) == "the nearest: percentile");
  CHECK(x.max < 2);
  CHECK(nearest(keeps, x) == "the nearest: min-max");
  CHECK(x.max == 1000);
}

TEST_CASE("the usual methods quantize a net as the nearest of them does", "[quantize]") {
  Model model = graph(clips);
  Context context;
  (observe_histograms(with_outlier()) | nearest_ranges(quantize(), with_outlier()) | quantize()).run(model, context);
  const Tensor x = with_outlier()[0][0].second;
  const std::vector<float> y = Evaluator(model.graph()).run({{"x", x}})[0].to<float>();
  const std::vector<float> expected = x.to<float>();
  for (std::size_t i = 0; i < y.size(); ++i) REQUIRE(std::abs(y[i] - std::min(expected[i], 1.0f)) < 0.01f);
}

TEST_CASE("nearest ranges need histograms and a choice, and stop when they are cancelled", "[quantize]") {
  Model model = graph(clips);
  CHECK_THROWS_WITH(nearest_ranges(quantize(), with_outlier()).run(model), Catch::Contains("observe_histograms"));
  CHECK_THROWS_WITH(nearest_ranges(quantize(), with_outlier(), MakeEvaluator(), {{}}),
                    "there are no methods to choose from");
  Context context;
  observe_histograms(with_outlier()).run(model, context);
  context.cancelled = [] { return true; };
  CHECK(nearest_ranges(quantize(), with_outlier()).run(model, context).outcome == Outcome::cancelled);
  CHECK(context.facts.find<Ranges>() == nullptr);
}
