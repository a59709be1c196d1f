#include <graft/quantize/prepare/smoothing.hpp>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/tune/signal_to_noise.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

constexpr Target target = targets::ort_cpu_x64;

/// [1, 16, 8], of which feature 3 is a hundred times larger than the others.
std::vector<Feeds> samples_with_outliers(std::size_t count = 4) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<Feeds> samples;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<float> values(128);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = normal(random) * (k % 8 == 3 ? 100.0f : 1.0f);
    samples.push_back({{"x", Tensor::of<float>({1, 16, 8}, values)}});
  }
  return samples;
}

Pass smoothing(const std::vector<Feeds>& samples) {
  return observe_feature_moments(samples) | smooth_activations(Granularity::per_channel, target);
}

/// The signal-to-noise ratio of what passes make of the outputs.
double decibels(const Model& before, const Model& after, const std::vector<Feeds>& samples) {
  SignalToNoise power;
  for (const Feeds& sample : samples) {
    const auto wanted = Evaluator(before.graph()).run(sample), given = Evaluator(after.graph()).run(sample);
    power.add(wanted[0].data<float>(), given[0].data<float>());
  }
  return power.decibels();
}

const std::string normalized =
    "x: f32[1,S,8]; g = f32[8] {1, 2, 1, 50, 1, 1, 3, 1}; b = f32[8] {0, 1, 2, 3, 4, 5, 6, 7};"
    "n = LayerNormalization(x, g, b); ";

}  // namespace

TEST_CASE("a normalization that products alone read divides its features", "[quantize]") {
  Model model = graph(normalized +
                      "p = MatMul(n, f32[8,4] random); q = Gemm(Reshape(n, i64[2] {-1, 8}), f32[4,8] random)"
                      "{transB=1}; return p, q");
  Model alone =
      graph(normalized + "p = MatMul(n, f32[8,4] random); q = MatMul(n, f32[8,3] random(-1, 1, 2)); return p, q");
  const auto samples = samples_with_outliers();
  const Model before = alone.clone();
  const Report report = smoothing(samples).run(alone);
  CHECK(report.step("smooth_activations")->changes == 1);
  CHECK(ops(alone.graph()) == "LayerNormalization MatMul MatMul");
  CHECK(decibels(before, alone, samples) > 110);
  const std::vector<float> scales = first(alone.graph(), "LayerNormalization").input(1)->constant()->to<float>();
  CHECK(scales[3] / scales[0] < 10);
  // The Reshape needs the features as they were.
  smoothing(samples).run(model);
  CHECK(ops(model.graph()) == "LayerNormalization Mul MatMul Reshape Gemm");
}

TEST_CASE("a Mul smooths what others read too, and stays in float", "[quantize]") {
  Model model = graph("x: f32[1,S,8]; y = MatMul(x, f32[8,4] random); z = Neg(x)");
  const Model before = model.clone();
  const auto samples = samples_with_outliers();
  Context context;
  const Report report = smoothing(samples).run(model, context);
  CHECK(report.step("smooth_activations")->changes == 1);
  CHECK(ops(model.graph()) == "Mul MatMul Neg");
  Node& mul = first(model.graph(), "Mul");
  CHECK(mul.output(0)->name() == "x_smoothed");
  CHECK(context.facts.value_or_default<KeptInFloat>().holds(mul));
  CHECK(decibels(before, model, samples) > 110);
  CHECK(first(model.graph(), "Neg").input(0)->name() == "x");
}

TEST_CASE("a Gemm is smoothed along the features of its weight, transposed or not", "[quantize]") {
  for (const std::string gemm :
       {"Gemm(x, f32[8,4] random, f32[4] random) {alpha=0.5}", "Gemm(x, f32[4,8] random, f32[4] random) {transB=1}"}) {
    Model model = graph("x: f32[N,8]; y = " + gemm);
    const Model before = model.clone();
    auto samples = samples_with_outliers();
    for (Feeds& sample : samples) sample[0].second = sample[0].second.reshaped({16, 8});
    CHECK(smoothing(samples).run(model).step("smooth_activations")->changes == 1);
    CHECK(decibels(before, model, samples) > 110);
  }
}

TEST_CASE("a weight that others read too is not smoothed", "[quantize]") {
  Model model = graph("x: f32[1,S,8]; w = f32[8,4] random; y = MatMul(x, w); z = Relu(w); return y, z");
  CHECK(smoothing(samples_with_outliers()).run(model).step("smooth_activations")->changes == 0);
  Model both = graph("x: f32[1,S,8]; w = f32[8,4] random; y = MatMul(x, w); z = MatMul(Neg(x), w); return y, z");
  CHECK(smoothing(samples_with_outliers()).run(both).step("smooth_activations")->changes == 0);
  Model one = graph("x: f32[1,S,8]; w = f32[8,4] random; y = MatMul(x, w); z = MatMul(x, w); return y, z");
  CHECK(smoothing(samples_with_outliers()).run(one).step("smooth_activations")->changes == 1);
}

TEST_CASE("what gains nothing, is excluded, or was not observed, is not smoothed", "[quantize]") {
  const auto samples = samples_with_outliers();
  std::vector<Feeds> even = samples;
  for (Feeds& sample : even) {
    std::vector<float> values = sample[0].second.to<float>();
    for (std::size_t k = 3; k < values.size(); k += 8) values[k] /= 100;
    sample[0].second = Tensor::of<float>({1, 16, 8}, values);
  }
  const std::string text = "x: f32[1,S,8]; y = MatMul(x, f32[8,4] random)";
  Model model = graph(text);
  CHECK(smoothing(even).run(model).step("smooth_activations")->changes == 0);
  CHECK((exclude_nodes({"y"}) | smoothing(samples)).run(model).step("smooth_activations")->changes == 0);
  Context context;
  context.facts.provide(Statistics<FeatureMoments>());
  CHECK(smooth_activations(Granularity::per_channel, target).run(model, context).changes == 0);
  Model narrow = graph("x: f32[1,S,8]; y = MatMul(x, f32[8,4] random); x_smoothed = Neg(y)");
  CHECK(smoothing(samples).run(narrow).step("smooth_activations")->changes == 0);
}

TEST_CASE("features of zeros, and rows of zeros, are not scaled", "[quantize]") {
  Model model = graph("x: f32[1,S,4]; y = MatMul(x, f32[4,2] {1, 2, 0, 0, 3, 4, 5, 6})");
  const Model before = model.clone();
  std::vector<Feeds> samples{{{"x", Tensor::of<float>({1, 2, 4}, {0, 5, 1e4f, 1, 0, -5, -1e4f, 1})}}};
  CHECK(smoothing(samples).run(model).step("smooth_activations")->changes == 1);
  const std::vector<float> weight = first(model.graph(), "MatMul").input(1)->constant()->to<float>();
  CHECK(std::vector<float>(weight.begin(), weight.begin() + 4) == std::vector<float>{1, 2, 0, 0});
  CHECK(decibels(before, model, samples) > 110);
}

TEST_CASE("ranges and statistics of a rescaled activation are erased", "[quantize]") {
  Model model = graph(normalized + "y = MatMul(n, f32[8,4] random)");
  Context context;
  Ranges ranges;
  ranges.set("n", {-1, 1});
  ranges.set("y", {-2, 2});
  context.facts.provide(std::move(ranges));
  smoothing(samples_with_outliers()).run(model, context);
  const auto* const kept = context.facts.find<Ranges>();
  REQUIRE(kept != nullptr);
  CHECK(kept->find("n") == nullptr);
  CHECK(kept->find("y") != nullptr);
}

TEST_CASE("quantize() smooths outliers away by default", "[quantize]") {
  const std::string text = "x: f32[1,S,8]; h = MatMul(x, f32[8,64] random); y = MatMul(Relu(h), f32[64,8] random)";
  Model floats = graph(text);
  const auto samples = samples_with_outliers(8);
  QuantizeOptions rough;
  rough.static_options().placement = Placement::all_supported;
  rough.static_options().smooth = rough.static_options().equalize = false;
  QuantizeOptions smooth = rough;
  smooth.static_options().smooth = true;
  Model plain = floats.clone(), smoothed = floats.clone();
  quantize(plain, samples, target, rough);
  const QuantizeResult result = quantize(smoothed, samples, target, smooth);
  CHECK(result.trials.front().name.find("activations smoothed") != std::string::npos);
  CHECK(decibels(floats, smoothed, samples) > decibels(floats, plain, samples) + 1);
}
