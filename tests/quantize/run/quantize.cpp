#include <graft/quantize/run/quantize.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/testing/random.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

const Target& target = targets::ort_cpu_x64;

constexpr const char* two_convs = R"(
    x: f32[1,3,8,8]; w = f32[4,3,1,1] {1, -2, 3, 0.5, 0.25, -1, 2, 1, -3, 1, 1, 1}; v = f32[2,4,1,1] 0.5;
    y = Conv(Relu(Conv(x, w, f32[4] 0.5)), v))";

/// Noise from -1 to 1; in one of ten samples one value is 40.
std::vector<Feeds> noise(std::size_t count) {
  Random random(3);
  std::vector<Feeds> samples;
  for (std::size_t i = 0; i < count; ++i) {
    Tensor x = random_tensor(DType::f32, {1, 3, 8, 8}, random, Interval{-1, 1});
    if (i % 10 == 0) x.mutable_data<float>()[5] = 40;
    samples.push_back({{"x", x}});
  }
  return samples;
}

QuantizeOptions with(Placement placement, QuantizeOptions options = {}) {
  options.placement = placement;
  return options;
}

std::vector<std::string> steps(const QuantizeResult& result) {
  std::vector<std::string> names;
  for (const Report& step : result.passes.steps) names.push_back(step.pass);
  return names;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

TEST_CASE("one call quantizes a model, and holds out every fourth sample", "[quantize]") {
  Model model = graph(two_convs);
  const QuantizeResult result = quantize(model, noise(20), target, with(Placement::all_supported));
  CHECK(result.calibration_samples == 15);
  CHECK(result.held_out_samples == 5);
  CHECK(result.pairs == 3);
  CHECK(result.audit.fused() == 2);
  REQUIRE(result.trials.size() >= 7);
  for (const QuantizeTrial& trial : result.trials)
    CHECK(trial.fidelity.cosine <= result.fidelity()->cosine);
  CHECK(result.fidelity()->cosine > 0.99);
  CHECK(result.ranges.find("x") != nullptr);
  CHECK(has(steps(result), "quantize_weights"));
}

TEST_CASE("the fast way tries nothing, and takes ranges from least to greatest of all samples", "[quantize]") {
  Model model = graph(two_convs);
  const QuantizeResult result =
      quantize(model, noise(20), target, with(Placement::all_supported, QuantizeOptions::fast()));
  CHECK(result.calibration_samples == 20);
  CHECK(result.held_out_samples == 0);
  CHECK(result.trials.empty());
  CHECK_FALSE(result.fidelity());
  CHECK(result.ranges.at("x").max == 40);
  CHECK_FALSE(has(steps(result), "correct_biases"));
}

TEST_CASE("samples that can be gone through once are enough for the fast way alone", "[quantize]") {
  const auto stream = [] {
    return SampleStream([samples = noise(5), i = std::size_t{0}]() mutable {
      return i == samples.size() ? std::nullopt : std::optional<Sample>(samples[i++]);
    });
  };
  Model model = graph(two_convs);
  CHECK(quantize(model, stream(), target, with(Placement::all_supported, QuantizeOptions::fast())).pairs == 3);
  Model other = graph(two_convs);
  CHECK_THROWS_WITH(quantize(other, stream(), target), Catch::Contains("QuantizeOptions::fast()"));
}

TEST_CASE("known ranges need no samples", "[quantize]") {
  Model model = graph(two_convs), other = graph(two_convs);
  const QuantizeResult first =
      quantize(model, noise(8), target, with(Placement::all_supported, QuantizeOptions::fast()));
  QuantizeOptions options = with(Placement::all_supported);
  options.ranges = first.ranges;
  Context context;
  const QuantizeResult second = quantize(other, target, options, context);
  CHECK(second.pairs == 3);
  CHECK(other.serialize() == model.serialize());
  Model third = graph(two_convs);
  CHECK_THROWS_WITH(quantize(third, target, {}, context), "there are neither samples nor ranges");
  options.ranges = Ranges{{"other", {0, 1}}};
  CHECK_THROWS_WITH(quantize(third, target, options, context), "the ranges are of no tensor of this model");
}

TEST_CASE("threads change no bit of the quantized model", "[quantize]") {
  std::string bytes;
  for (const std::size_t threads : {1u, 3u}) {
    Model model = graph(two_convs);
    Context context;
    context.threads = threads;
    quantize(model, noise(20), target, with(Placement::all_supported), context);
    if (threads == 1) bytes = model.serialize();
    CHECK(model.serialize() == bytes);
  }
}

TEST_CASE("names that match nothing are warned of", "[quantize]") {
  Model model = graph(two_convs);
  QuantizeOptions options = with(Placement::all_supported, QuantizeOptions::fast());
  options.exclude = {NamePattern("nothing")};
  options.range_overrides = {{NamePattern("none"), {0, 1}}};
  const QuantizeResult result = quantize(model, noise(2), target, options);
  CHECK(result.passes.warnings.size() == 2);
}

TEST_CASE("ranges and dtypes that are given hold", "[quantize]") {
  Model model = graph(two_convs);
  QuantizeOptions options = with(Placement::all_supported);
  options.range_overrides = {{NamePattern("x"), {-2, 2}}};
  Context context;
  const QuantizeResult result = quantize(model, noise(8), target, options, context);
  CHECK(result.ranges.at("x") == Range{-2, 2});
  CHECK(context.facts.find<Ranges>()->at("x") == Range{-2, 2});
}

TEST_CASE("a run that is cancelled stops", "[quantize]") {
  Model model = graph(two_convs);
  Context context;
  context.cancelled = [] { return true; };
  const QuantizeResult result = quantize(model, noise(8), target, {}, context);
  CHECK(result.passes.outcome == Outcome::cancelled);
  CHECK(result.pairs == 0);
}
