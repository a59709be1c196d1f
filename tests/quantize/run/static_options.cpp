#include <graft/quantize/run/static_options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/qdq/quantized_constant.hpp>
#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/tune/analyze.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/testing/random.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"
#include "support/error_of.hpp"

using namespace graft;

namespace {

const Target& target = targets::ort_cpu_x64;

constexpr const char* net = "x: f32[1,3,8,8]; y = Conv(Relu(Conv(x, f32[4,3,1,1] random)), f32[2,4,1,1] random)";

std::vector<Feeds> noise(std::size_t count) {
  Random random(3);
  std::vector<Feeds> samples;
  for (std::size_t i = 0; i < count; ++i)
    samples.push_back({{"x", random_tensor(DType::f32, {1, 3, 8, 8}, random, Interval{-1, 1})}});
  return samples;
}

QuantizeResult quantized(Model& model, const StaticOptions& options) {
  return quantize(model, noise(8), target, {.mode = options});
}

}  // namespace

TEST_CASE("a method that reads no histograms is the only one, and samples are held out for it", "[quantize]") {
  Model model = graph(net), other = graph(net);
  const StaticOptions averages{.placement = Placement::all_supported, .ranges = MovingAverage()};
  const QuantizeResult result = quantized(model, averages);
  CHECK(result.calibration_samples == 6);
  CHECK(result.held_out_samples == 2);
  REQUIRE(result.range_method);
  CHECK(result.range_method->name() == "moving-average");
  CHECK(result.trials.front().name.starts_with("moving-average"));
  CHECK_THROWS_WITH(quantized(other, {.ranges = {MinMax(), MovingAverage()}}),
                    "ranges: the method 'moving-average' reads no histograms, so it must be the only one");
  CHECK_THROWS_WITH(quantized(other, {.ranges = std::vector<RangeMethod>()}),
                    "ranges: holds neither methods nor ranges");
}

TEST_CASE("a candidate of the user's is judged beside the others, and taken where it is better", "[quantize]") {
  const Pass pairs = inject_qdq(target, Placement::all_supported);
  const CustomCandidate rough{"3 bits", pairs | quantize_weights(WeightForm(Granularity::per_tensor, 3), target)};
  const auto trial_of = [](const QuantizeResult& result, const std::string& name) {
    return std::ranges::find(result.trials, name, &QuantizeTrial::name);
  };
  Model model = graph(net), same = graph(net);
  StaticOptions options{.placement = Placement::all_supported, .candidates = {rough}};
  const QuantizeResult without = quantized(model, options);
  REQUIRE(trial_of(without, "3 bits") != without.trials.end());
  CHECK(trial_of(without, "3 bits") != without.trials.begin());

  // Beside static quantization that is poor it wins.
  StaticOptions poor{.placement = Placement::all_supported,
                     .weights = WeightForm(Granularity::per_tensor, 2),
                     .ranges = MinMax(),
                     .correct_biases = false,
                     .search_runs = 0};
  poor.candidates = {{"8 bits", pairs | quantize_weights(Granularity::per_channel, target)}};
  const QuantizeResult with = quantized(same, poor);
  CHECK(with.trials.front().name == "8 bits");
  CHECK(with.pairs == 3);
  CHECK(with.fidelity()->cosine > 0.99);
}

TEST_CASE("a candidate may quantize products as the model runs, and one that quantizes nothing is not taken",
          "[quantize]") {
  const std::string text = "x: f32[4,64]; y = MatMul(x, f32[64,64] random)";
  const auto run = [&](const Pass& own) {
    Model model = graph(text);
    Random random(5);
    std::vector<Feeds> samples;
    for (int i = 0; i < 8; ++i) samples.push_back({{"x", random_tensor(DType::f32, {4, 64}, random, Interval{-1, 1})}});
    StaticOptions poor{.placement = Placement::all_supported,
                       .weights = WeightForm(Granularity::per_tensor, 2),
                       .ranges = MinMax(),
                       .mix_forms = true,
                       .search_runs = 0};
    poor.candidates = {{"own", own}};
    QuantizeResult result = quantize(model, samples, target, {.mode = poor});
    return std::pair(std::move(result), ops(model.graph()));
  };
  const auto [dynamic, operators] = run(quantize_dynamic(target));
  CHECK(dynamic.trials.front().name == "own");
  CHECK(dynamic.nothing_quantized.empty());
  CHECK_THAT(operators, Catch::Contains("MatMulInteger"));
  const auto [nothing, left] = run(pass("nothing", [](Graph&, Context&) { return Report(); }));
  CHECK(nothing.trials.front().name != "own");
  CHECK(nothing.pairs != 0);
}

TEST_CASE("options that need samples are refused without", "[quantize]") {
  const auto refused = [](StaticOptions options) {
    Model model = graph(net);
    options.ranges = Ranges{{"x", {-1, 1}}};
    Context context;
    return error_of([&] { quantize(model, target, {.mode = options}, context); });
  };
  CHECK(refused({.goal = FidelityGoal{.cosine = 0.9}}) == "goal: needs samples");
  CHECK(refused({.analyze = true}) == "analyze: needs samples");
  CHECK(refused({.candidates = {{"none", inject_qdq(target, Placement::naive)}}}) == "candidates: needs samples");
}

TEST_CASE("where nothing gains the model is what it was", "[quantize]") {
  Model model = graph("opset 11; x: f32[1,3,8,8]; y = Abs(x)"), before = model.clone();
  const QuantizeResult result = quantized(model, {});
  CHECK(result.nothing_quantized == "the model has no operator that this target and placement quantize");
  CHECK(result.passes.warnings == std::vector<std::string>{"nothing is quantized: " + result.nothing_quantized});
  CHECK(model.serialize() == before.serialize());
  onnx::ModelProto proto = before.commit();
  Model view = Model::view(proto);
  quantized(view, {});
  CHECK(view.is_view());
  CHECK(view.clone().serialize() == before.serialize());
}

TEST_CASE("a model is what it was after an error, and after a run that is cancelled", "[quantize]") {
  Model model = graph("opset 11; x: f32[1,3,8,8]; y = Conv(x, f32[4,3,1,1] random)"), before = model.clone();
  CHECK_THROWS_WITH(quantize(model, std::vector<Feeds>(), target), Catch::Contains("no sample"));
  CHECK(model.serialize() == before.serialize());
  Context context;
  bool compares = false;
  context.progress = [&](const Progress& at) { compares = compares || at.pass == "compare"; };
  context.cancelled = [&] { return compares; };
  quantize(model, noise(8), target, {}, context);
  CHECK(compares);
  CHECK(model.serialize() == before.serialize());
}

TEST_CASE("rounding is learned after the candidates were judged with weights of 8 bits", "[quantize]") {
  Model nearest = graph(net), learned = graph(net);
  StaticOptions options{.placement = Placement::all_supported,
                        .weights = WeightForm(Granularity::per_channel, 4),
                        .mix_forms = false,
                        .search_runs = 0};
  const QuantizeResult before = quantized(nearest, options);
  CHECK_FALSE(before.reconstructed);
  options.reconstruct.emplace();
  const QuantizeResult after = quantized(learned, options);
  REQUIRE(after.reconstructed);
  CHECK(after.reconstructed->learned() == 2);
  CHECK(after.trials.front().fidelity.decibels > before.trials.front().fidelity.decibels + 3);
  CHECK(after.fidelity()->decibels > before.checked->decibels + 1);
  CHECK_FALSE(after.poor_layers);
  for (const Node& node : learned.graph().nodes())
    if (node.is("Conv"))
      for (const std::int32_t code : quantized_constant(*node.input(1)->producer())->data.to<std::int32_t>())
        CHECK(std::abs(code) <= 7);
}

TEST_CASE("bits are chosen within a budget, and then the rounding is learned", "[quantize]") {
  Model model = graph(net);
  StaticOptions options{.placement = Placement::all_supported,
                        .mix_forms = false,
                        .reconstruct = Reconstruction(),
                        .bit_budget = BitBudget{.cost = BitCost::bytes, .at_most = 20 * 4.0 / 8},
                        .search_runs = 0};
  const QuantizeResult result = quantized(model, options);
  REQUIRE(result.bit_widths);
  CHECK(result.bit_widths->cost <= 10);
  CHECK(result.reconstructed->learned() > 0);
  for (const ChosenBitWidths::Layer& layer : result.bit_widths->layers) {
    const Node* conv = nullptr;
    for (const Node& node : model.graph().nodes())
      if (node.name() == layer.name) conv = &node;
    REQUIRE(conv != nullptr);
    for (const std::int32_t code : quantized_constant(*conv->input(1)->producer())->data.to<std::int32_t>())
      CHECK(std::abs(code) < 1 << (layer.weight_bits - 1));
  }
}

TEST_CASE("a goal is that of the final weights", "[quantize]") {
  const Model floats = graph(net);
  const auto reached = [&](StaticOptions options, double cosine) {
    Model model = graph(net);
    options.placement = Placement::all_supported;
    options.goal = FidelityGoal{.cosine = cosine};
    const QuantizeResult result = quantized(model, options);
    REQUIRE(result.goal);
    CHECK(result.goal->reached.cosine == Approx(analyze(floats.graph(), model.graph(), noise(8)).outputs.cosine));
    CHECK(result.fidelity() == result.goal->reached);
    CHECK(result.accuracy->samples == 8);
    return *result.goal;
  };
  const StaticOptions learned{.weights = WeightForm(Granularity::per_channel, 2), .reconstruct = Reconstruction()};
  const StaticOptions budgeted{.bit_budget = BitBudget{.cost = BitCost::bytes, .at_most = 20 * 2.0 / 8}};
  for (const StaticOptions& options : {learned, budgeted}) {
    const GoalResult missed = reached(options, 0.999), met = reached(options, 0.5);
    CHECK_FALSE(missed.met);
    CHECK(missed.outcome == GoalOutcome::lost);
    CHECK(missed.with_none_in_float.cosine > 0.999);
    CHECK(missed.reached.cosine < 0.999);
    CHECK_THAT(to_string(missed), Catch::Contains("is not with the final weights"));
    CHECK(met.met);
    CHECK(met.outcome == GoalOutcome::met_by_all);
  }
}

TEST_CASE("no layer stays in float for a poor candidate where a budget decides", "[quantize]") {
  // Per tensor nothing is left of three channels.
  Model model = graph(R"(
      x: f32[1,3,8,8]; a = Conv(x, f32[4,3,1,1] random);
      b = Conv(Mul(a, f32[1,4,1,1] {150, 1, 1, 1}), f32[4,1,1,1] {0.006, 1, 1, 1}) {group=4};
      y = Conv(b, f32[4,4,1,1] random))");
  StaticOptions options{.placement = Placement::all_supported, .equalize = false};
  options.bit_budget = BitBudget{.cost = BitCost::bytes, .at_most = 32};
  const QuantizeResult result = quantized(model, options);
  CHECK(result.trials.front().fidelity.is_poor());
  CHECK_FALSE(result.poor_layers);
  CHECK(result.bit_widths->layers.size() == 3);
}

TEST_CASE("a budget of bits excludes candidates that choose bits by themselves", "[quantize]") {
  Model model = graph(net);
  StaticOptions options{.bit_budget = BitBudget{.at_most = 1e9}};
  options.candidates = {{"own", inject_qdq(target, Placement::naive)}};
  CHECK_THAT(error_of([&] { quantized(model, options); }), Catch::StartsWith("bit_budget: excludes candidates"));
}

TEST_CASE("learning the rounding needs samples", "[quantize]") {
  Model model = graph(net);
  StaticOptions options{.ranges = Ranges{{"x", {-1, 1}}}};
  options.reconstruct.emplace();
  Context context;
  CHECK(error_of([&] { quantize(model, target, {.mode = options}, context); }) == "reconstruct: needs samples");
}
