#include <graft/quantize/tune/choose_bit_widths.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/testing/text.hpp>

#include "support/uniform_samples.hpp"

using namespace graft;

namespace {

const Target& target = targets::ort_cpu_x64;

/// Of the two branches one hardly counts.
constexpr const char* net =
    "x: f32[1,4,6,6]; v = f32[8,4,3,3] random; w = f32[8,4,3,3] random; u = f32[4,8,1,1] random; "
    "a = Relu(Conv(x, v) {pads=[1,1,1,1]}); b = Mul(Relu(Conv(x, w) {pads=[1,1,1,1]}), f32[] 0.01); "
    "y = Conv(Add(a, b), u)";
constexpr double products = 36 * (8 * 36 + 8 * 36 + 4 * 8), weights = 8 * 36 + 8 * 36 + 4 * 8;

Pass quantize(const WeightForms& forms) {
  return inject_qdq(target, Placement::all_supported) | quantize_weights(forms, target);
}

Model named(const char* text) {
  Model made = graph(text);
  for (Node& node : made.graph().nodes()) made.graph().rename(node, "n_" + std::string(node.output(0)->name()));
  return made;
}

struct Setting {
  const char* text = net;
  WeightForms forms = Granularity::per_channel;
  std::vector<ActivationOverride> overrides{};
  std::vector<NamePattern> in_float{};
  std::size_t threads = 1;
};

struct Chosen {
  explicit Chosen(const BitBudget& budget, const Setting& setting = {}) : model(named(setting.text)) {
    context.threads = setting.threads;
    (calibrate(uniform_samples(8, {1, 4, 6, 6})) | override_activations(setting.overrides) |
     exclude_nodes(setting.in_float))
        .run(model, context);
    const std::string before = model.serialize();
    report = choose_bit_widths(quantize, uniform_samples(16, {1, 4, 6, 6}), setting.forms, target, budget)
                 .run(model, context);
    CHECK(model.serialize() == before);
    found = *context.facts.find<ChosenBitWidths>();
  }

  Model model;
  Context context;
  Report report;
  ChosenBitWidths found;
};

/// One layer after the other, n_h and n_y, which read x and r.
constexpr const char* row =
    "x: f32[1,4,6,6]; v = f32[8,4,3,3] random; u = f32[4,8,1,1] random; h = Conv(x, v) {pads=[1,1,1,1]}; "
    "r = Relu(h); y = Conv(r, u)";

/// The bits of n_h, n_y, x and r.
struct RowBits {
  int v = 0, u = 0, x = 0, r = 0;

  double operations() const { return 36.0 * (8 * 36 * v * x + 4 * 8 * u * r); }
  double bytes() const { return (8 * 36 * v + 4 * 8 * u) / 8.0; }
  bool are_uniform() const { return v == u && x == r; }
};

/// The noise of the row with these bits, on every fourth of the samples that the choice has.
double noise_of(const RowBits& bits) {
  const Model floats = named(row);
  Model quantized = named(row);
  Context context;
  const WeightForm of_h(Granularity::per_channel, bits.v), of_y(Granularity::per_channel, bits.u);
  const WeightForms forms(Granularity::per_channel, {{NamePattern("n_h"), of_h}, {NamePattern("n_y"), of_y}});
  (calibrate(uniform_samples(8, {1, 4, 6, 6})) | override_activations({{"x", {}, bits.x}, {"r", {}, bits.r}}) |
   quantize(forms))
      .run(quantized, context);
  const std::vector<Feeds> samples = uniform_samples(16, {1, 4, 6, 6});
  double sum = 0;
  for (std::size_t i = 3; i < samples.size(); i += 4) {
    const std::vector<float> y = Evaluator(floats.graph()).run(samples[i])[0].to<float>();
    const std::vector<float> q = Evaluator(quantized.graph()).run(samples[i])[0].to<float>();
    double power = 0, error = 0;
    for (std::size_t e = 0; e < y.size(); ++e) {
      power += double{y[e]} * y[e];
      error += (double{y[e]} - q[e]) * (double{y[e]} - q[e]);
    }
    sum += std::min(error / power, 1.0);
  }
  return sum / 4;
}

struct MeasuredRow {
  RowBits bits;
  double noise;
};

}  // namespace

TEST_CASE("bits of weights and activations stay within a budget of operations", "[quantize]") {
  double last = 0;
  for (const double bits : {64.0, 36.0, 25.0, 12.0}) {
    const Chosen chosen({.at_most = products * bits});
    INFO(to_string(chosen.found));
    REQUIRE(chosen.found.layers.size() == 3);
    CHECK(chosen.found.cost <= products * bits);
    CHECK(chosen.found.cost > products * bits * 0.75);
    CHECK(chosen.found.noise >= last);
    last = chosen.found.noise;
    double cost = 0;
    for (std::size_t i = 0; i < 3; ++i)
      cost += 36 * (i < 2 ? 8 * 36 : 4 * 8) * double{chosen.found.layers[i].weight_bits * 1.0} *
              chosen.found.layers[i].activation_bits;
    CHECK(cost == chosen.found.cost);
    CHECK(chosen.found.layers[0].activation_bits == chosen.found.layers[1].activation_bits);  // both read x
    const auto& bits_of = chosen.context.facts.find<ActivationDTypes>()->bits;
    CHECK(bits_of.at("x") == chosen.found.layers[0].activation_bits);
    if (bits == 64) CHECK(chosen.found.layers[0].weight_bits == 8);
  }
  const Chosen chosen({.at_most = products * 25});
  CHECK(chosen.found.layers[0].weight_bits > chosen.found.layers[1].weight_bits);  // that counts little
  CHECK(chosen.found.noise < chosen.found.uniform_noise);
  const WeightForms forms = chosen.found.weights(Granularity::per_channel);
  for (const Node& node : chosen.model.graph().nodes())
    if (node.is("Conv") && node.output(0)->name() == "y")
      CHECK(forms.of(node).bits == chosen.found.layers[2].weight_bits);
}

TEST_CASE("a budget of bytes is for weights alone", "[quantize]") {
  const Chosen chosen({.cost = BitCost::bytes, .at_most = weights / 2}, {.overrides = {{"x", {}, 6}}});
  INFO(to_string(chosen.found));
  CHECK(chosen.found.cost <= weights / 2);
  CHECK(chosen.found.layers[0].weight_bits > chosen.found.layers[1].weight_bits);
  CHECK(chosen.found.layers[0].activation_bits == 6);
  CHECK(chosen.found.layers[2].activation_bits == 8);
}

TEST_CASE("bits given are the most", "[quantize]") {
  const Chosen chosen({.at_most = products * 64},
                      {.forms = WeightForm(Granularity::per_channel, 5), .overrides = {{"x", {}, 3}}});
  for (const ChosenBitWidths::Layer& layer : chosen.found.layers) CHECK(layer.weight_bits <= 5);
  CHECK(chosen.found.layers[0].activation_bits <= 3);
}

TEST_CASE("any number of threads gives the same bits", "[quantize]") {
  const Chosen one({.at_most = products * 20});
  for (const std::size_t threads : {std::size_t{2}, std::size_t{5}, std::size_t{40}}) {
    const Chosen other({.at_most = products * 20}, {.threads = threads});
    CHECK(one.found.noise == other.found.noise);
    CHECK(one.found.uniform_noise == other.found.uniform_noise);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(one.found.layers[i].weight_bits == other.found.layers[i].weight_bits);
      CHECK(one.found.layers[i].activation_bits == other.found.layers[i].activation_bits);
    }
  }
}

TEST_CASE("the chosen bits are among the best that fit", "[quantize]") {
  std::vector<MeasuredRow> all;
  for (int v = 2; v <= 4; ++v)
    for (int u = 2; u <= 4; ++u)
      for (int x = 2; x <= 4; ++x)
        for (int r = 2; r <= 4; ++r) all.push_back({{v, u, x, r}, noise_of({v, u, x, r})});
  const Setting setting{.text = row,
                        .forms = WeightForm(Granularity::per_channel, 4),
                        .overrides = {{"x", {}, 4}, {"r", {}, 4}}};
  const auto expect_good = [&](const BitBudget& budget) {
    const ChosenBitWidths found = Chosen(budget, setting).found;
    INFO(to_string(found));
    const RowBits chosen{found.layers[0].weight_bits, found.layers[1].weight_bits, found.layers[0].activation_bits,
                         found.layers[1].activation_bits};
    CHECK(found.noise == Approx(noise_of(chosen)));
    const bool is_bytes = budget.cost == BitCost::bytes;
    double least = std::numeric_limits<double>::infinity(), least_uniform = least;
    int better = 0, fitting = 0;
    for (const auto& [bits, noise] : all) {
      if ((is_bytes ? bits.bytes() : bits.operations()) > budget.at_most) continue;
      if (is_bytes && (bits.x != 4 || bits.r != 4)) continue;
      ++fitting;
      better += noise < found.noise;
      least = std::min(least, noise);
      if (bits.are_uniform()) least_uniform = std::min(least_uniform, noise);
    }
    CAPTURE(fitting, better, least, least_uniform);
    CHECK(found.uniform_noise == Approx(least_uniform));
    CHECK(better * 10 <= fitting);
    CHECK(found.noise < least * 1.5);
    return found.noise < found.uniform_noise;
  };
  const double each = 36 * (8 * 36 + 4 * 8), bytes = (8 * 36 + 4 * 8) / 8.0;
  int gains = 0;
  for (const double bits : {5.0, 7.0, 10.0, 13.0}) gains += expect_good({.at_most = each * bits});
  for (const double bits : {2.5, 3.5}) gains += expect_good({.cost = BitCost::bytes, .at_most = bytes * bits});
  CHECK(gains >= 3);
}

TEST_CASE("layers in float are a part of the cost", "[quantize]") {
  const Setting setting{.text = row, .in_float = {NamePattern("n_h")}};
  const double operations = 36 * 8 * 36 * 32 * 32, bytes = 8 * 36 * 4;
  const Chosen chosen({.at_most = operations + 36 * 4 * 8 * 25}, setting);
  INFO(to_string(chosen.found));
  REQUIRE(chosen.found.fixed.size() == 1);
  CHECK(chosen.found.fixed[0].name == "n_h");
  CHECK((chosen.found.fixed[0].weight_bits == 32 && chosen.found.fixed[0].activation_bits == 32));
  CHECK(chosen.found.fixed_cost == operations);
  REQUIRE(chosen.found.layers.size() == 1);
  const ChosenBitWidths::Layer& free = chosen.found.layers[0];
  CHECK(free.weight_bits * free.activation_bits <= 25);
  CHECK(free.weight_bits * free.activation_bits >= 16);
  CHECK(chosen.found.cost == operations + 36 * 4 * 8 * free.weight_bits * free.activation_bits);
  CHECK(chosen.report.notes.front() == "'n_h' keeps 32 bits of its weight, beside 32 of its input");
  CHECK_THAT(to_string(chosen.found), Catch::Contains(" of these for 1 layer with fixed bits"));
  CHECK_THROWS_WITH(Chosen({.at_most = operations}, setting),
                    Catch::Contains("even the fewest bits cost") && Catch::EndsWith("in float have: 'n_h'"));

  const Chosen small({.cost = BitCost::bytes, .at_most = bytes + 4 * 8 * 0.5}, setting);
  CHECK(small.found.fixed_cost == bytes);
  CHECK(small.found.layers[0].weight_bits == 4);
  CHECK_THROWS_WITH(Chosen({.cost = BitCost::bytes, .at_most = bytes}, setting), Catch::Contains("'n_h'"));
}

TEST_CASE("a budget for which 2 bits are too many is an error", "[quantize]") {
  Model model = named(net);
  Context watched;
  calibrate(uniform_samples(8, {1, 4, 6, 6})).run(model, watched);
  std::size_t told = 0;
  watched.progress = [&](const Progress&) { ++told; };
  const Pass choose = choose_bit_widths(quantize, uniform_samples(16, {1, 4, 6, 6}), Granularity::per_channel, target,
                                        {.at_most = products * 3});
  CHECK_THROWS_WITH(choose.run(model, watched), Catch::Contains("even the fewest bits cost"));
  CHECK(told == 0);  // before the trials
  Model none = graph("x: f32[1,4]; y = Relu(x)");
  Context context;
  calibrate(std::vector<Feeds>{{{"x", Tensor(DType::f32, {1, 4})}}}).run(none, context);
  CHECK_THROWS_WITH(choose_bit_widths(quantize, std::vector<Feeds>{{{"x", Tensor(DType::f32, {1, 4})}}},
                                      Granularity::per_channel, target, {.at_most = 1})
                        .run(none, context),
                    Catch::Contains("no layer"));
}
