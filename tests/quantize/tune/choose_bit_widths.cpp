#include <graft/quantize/tune/choose_bit_widths.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/place/placement.hpp>
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

struct Chosen {
  explicit Chosen(const BitBudget& budget, const WeightForms& forms = Granularity::per_channel,
                  std::vector<ActivationOverride> overrides = {}, std::size_t threads = 1) {
    context.threads = threads;
    (calibrate(uniform_samples(8, {1, 4, 6, 6})) | override_activations(std::move(overrides))).run(model, context);
    const std::string before = model.serialize();
    choose_bit_widths(quantize, uniform_samples(16, {1, 4, 6, 6}), forms, target, budget).run(model, context);
    CHECK(model.serialize() == before);
    found = *context.facts.find<ChosenBitWidths>();
  }

  Model model = named();
  Context context;
  ChosenBitWidths found;

 private:
  static Model named() {
    Model made = graph(net);
    for (Node& node : made.graph().nodes()) made.graph().rename(node, "n_" + std::string(node.output(0)->name()));
    return made;
  }
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
    CHECK(chosen.found.noise <= chosen.found.uniform_noise);
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
  const Chosen chosen({.cost = BitCost::bytes, .at_most = weights / 2}, Granularity::per_channel, {{"x", {}, 6}});
  INFO(to_string(chosen.found));
  CHECK(chosen.found.cost <= weights / 2);
  CHECK(chosen.found.noise <= chosen.found.uniform_noise);
  CHECK(chosen.found.layers[0].weight_bits > chosen.found.layers[1].weight_bits);
  CHECK(chosen.found.layers[0].activation_bits == 6);
  CHECK(chosen.found.layers[2].activation_bits == 8);
}

TEST_CASE("bits given are the most", "[quantize]") {
  const Chosen chosen({.at_most = products * 64}, WeightForm(Granularity::per_channel, 5), {{"x", {}, 3}});
  for (const ChosenBitWidths::Layer& layer : chosen.found.layers) CHECK(layer.weight_bits <= 5);
  CHECK(chosen.found.layers[0].activation_bits <= 3);
}

TEST_CASE("any number of threads gives the same bits", "[quantize]") {
  const Chosen one({.at_most = products * 20});
  for (const std::size_t threads : {std::size_t{2}, std::size_t{5}, std::size_t{40}}) {
    const Chosen other({.at_most = products * 20}, Granularity::per_channel, {}, threads);
    CHECK(one.found.noise == other.found.noise);
    CHECK(one.found.uniform_noise == other.found.uniform_noise);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(one.found.layers[i].weight_bits == other.found.layers[i].weight_bits);
      CHECK(one.found.layers[i].activation_bits == other.found.layers[i].activation_bits);
    }
  }
}

TEST_CASE("a budget for which 2 bits are too many is an error", "[quantize]") {
  CHECK_THROWS_WITH(Chosen({.at_most = products * 3}), Catch::Contains("even the fewest bits cost"));
  Model none = graph("x: f32[1,4]; y = Relu(x)");
  Context context;
  calibrate(std::vector<Feeds>{{{"x", Tensor(DType::f32, {1, 4})}}}).run(none, context);
  CHECK_THROWS_WITH(choose_bit_widths(quantize, std::vector<Feeds>{{{"x", Tensor(DType::f32, {1, 4})}}},
                                      Granularity::per_channel, target, {.at_most = 1})
                        .run(none, context),
                    Catch::Contains("no layer"));
}
