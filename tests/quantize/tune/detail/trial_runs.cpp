#include <graft/quantize/tune/detail/trial_runs.hpp>

#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>

#include "quantize/ruined.hpp"

using namespace graft;

namespace {

using Samples = std::vector<Feeds>;
using Runs = detail::TrialRuns;

const MakeEvaluator make_evaluator;

}  // namespace

TEST_CASE("a layer is measured on as many samples as it is tried on", "[quantize]") {
  const Model model = identities();
  const Samples samples{two_values(0.25f, 0.125f), ruined_sample[0]};
  const Context context;
  const Pass quantize = ruining();
  const Runs runs(model.graph(), quantize, samples, 2, make_evaluator, context);
  CHECK(runs.measure({}).fidelity.agreement == 0.5);
  CHECK(runs.effect({}, 1).agreement == 1);
  CHECK(runs.measure({"z_node"}).fidelity == Fidelity());
  LayerTrialOptions trials;
  trials.samples = 1;
  for (const LayerEffect& layer : runs.effects(trials, "pass")) CHECK(layer.quantized_alone.agreement == 1);
  const Runs one(model.graph(), quantize, samples, 1, make_evaluator, context);
  CHECK(one.measure({}).fidelity.agreement == 1);
}

TEST_CASE("layers are ranked by what they cost for the time that they gain, else by their noise", "[quantize]") {
  const Model model = identities();
  const Context context;
  for (const Pass& quantize : {ruining(), ruining_what_pays()}) {
    const Runs runs(model.graph(), quantize, ruined_sample, 1, make_evaluator, context);
    const std::vector<std::string> ranked = runs.ranked({}, "pass");
    REQUIRE(ranked.size() == 3);
    CHECK(ranked[0] == "z_node");
    LayerTrialOptions some;
    some.candidates = {{"[ya]_node"}};
    CHECK(runs.ranked(some, "pass").size() == 2);
  }
}

TEST_CASE("a trial that cannot reach the cosine any more ends early", "[quantize]") {
  const Model model = identities();
  const Context context;
  const Pass quantize = ruining();
  const Samples samples{ruined_sample[0], two_values(0.25f, 0.125f), two_values(0.25f, 0.125f)};
  const Runs runs(model.graph(), quantize, samples, 3, make_evaluator, context);
  const double whole = runs.measure({}).fidelity.cosine;
  CHECK(whole > 0.99);
  CHECK(runs.measure({}, ProductForm::in_float, 0.99).fidelity.cosine == whole);
  CHECK(runs.measure({}, ProductForm::in_float, 0.9999).fidelity.cosine < whole);
}

TEST_CASE("an operator that quantizes nothing where it alone is left is not a layer", "[quantize]") {
  Net net;
  Value& y = net.conv(*net.x, "y");
  Value& sum = net.op("Add", {&y, net.x}, "sum");  // reads two dequantized tensors
  const Model model = net.build({&net.conv(sum, "z")});
  const Ranges ranges{{"x", {-1, 1}}, {"y", {-2, 2}}, {"sum", {-2, 2}}, {"z", {-2, 2}}};
  const Context context;
  const auto layers = [&](Placement placement) {
    const Pass quantize = inject_qdq(ranges, targets::ort_cpu_x64, placement) |
                          quantize_weights(Granularity::per_channel, targets::ort_cpu_x64);
    return Runs(model.graph(), quantize, ruined_sample, 1, make_evaluator, context).effects({}, "pass").size();
  };
  CHECK(layers(Placement::fusion_aware) == 2);
  CHECK(layers(Placement::all_supported) == 3);
}

TEST_CASE("what is quantized with others is tried alone, though it does not pay", "[quantize]") {
  const Model model = identities();
  const Context context;
  const Pass quantize = ruining_what_pays();
  const Runs runs(model.graph(), quantize, ruined_sample, 1, make_evaluator, context);
  CHECK(count(runs.quantized({}).graph(), "QuantizeLinear") == 4);
  CHECK(count(runs.quantized({"y_node"}).graph(), "QuantizeLinear") == 0);
  const std::vector<LayerEffect> layers = runs.effects({}, "pass");
  REQUIRE(layers.size() == 3);
  CHECK(layers[0].node == "z_node");
  CHECK(layers[0].quantized_alone.agreement == 0);
  CHECK(layers[1].quantized_alone == Fidelity());
  CHECK(runs.measure({"y_node"}).fidelity == Fidelity());
  CHECK(runs.measure({"y_node"}).pairs == 0);
  CHECK(runs.measure({}).pairs == 4);
  CHECK(runs.effect({"y_node"}, 1).agreement == 0);
  CHECK(runs.effect({"z_node"}, 1) == Fidelity());
}

TEST_CASE("quantized nodes without names are counted, and stay quantized", "[quantize]") {
  Model model = identities();
  model.graph().rename(node_making(model, "z"), "");
  const Context context;
  for (const Pass& quantize : {ruining(), ruining_what_pays()}) {
    const Runs runs(model.graph(), quantize, ruined_sample, 1, make_evaluator, context);
    CHECK(runs.nameless() == 1);
    CHECK(runs.effect({"y_node", "a_node"}, 1).agreement == 0);
  }
  const Pass quantize = ruining();
  const Runs runs(model.graph(), quantize, ruined_sample, 1, make_evaluator, context);
  CHECK(runs.effects({}, "pass").size() == 2);
}

TEST_CASE("only a main graph is tried", "[quantize]") {
  const Model model = identities();
  onnx::FunctionProto proto;
  proto.set_domain("mine");
  proto.set_name("Nothing");
  Model with(model.graph().model().commit());
  Graph& function = with.add_function(proto);
  const Context context;
  const Pass quantize = ruining();
  CHECK_THROWS_WITH(Runs(function, quantize, ruined_sample, 1, make_evaluator, context),
                    Catch::Contains("only the main graph"));
}

TEST_CASE("samples that can be gone through only once are not samples for trials", "[quantize]") {
  const Model model = identities();
  const Context context;
  const Pass quantize = ruining();
  const SampleStream stream(
      [n = 0]() mutable { return n++ < 3 ? std::optional<Sample>(ruined_sample[0]) : std::nullopt; });
  const Runs runs(model.graph(), quantize, stream, 1, make_evaluator, context);
  CHECK_THROWS_WITH(runs.measure({}), "the samples can be gone through only once: hold them in a vector");

  /// A range that does not know this of itself.
  struct Once {
    const Feeds* begin() const { return used++ == 0 ? ruined_sample.data() : end(); }
    const Feeds* end() const { return ruined_sample.data() + 1; }
    mutable int used = 0;
  };
  const Runs unknown(model.graph(), quantize, Once(), 1, make_evaluator, context);
  CHECK_THROWS_WITH(unknown.measure({}), "the samples can be gone through only once: hold them in a vector");
}

TEST_CASE("what is tried is run in any executor, whose errors name the sample", "[quantize]") {
  const Model model = identities();
  const Context context;
  const Pass quantize = ruining();
  int made = 0;
  const auto counted = [&made](const Graph& graph) { return ++made, Evaluator(graph); };
  const Runs runs(model.graph(), quantize, ruined_sample, 1, counted, context);
  runs.measure({});
  CHECK(made == 2);
  struct Broken {
    std::vector<Tensor> run(const Feeds&, const Fetches&) { throw Error("out of order"); }
    void observe(const Feeds&, const Fetches&, const Observer&) {}
  };
  const auto broken = [](const Graph&) { return Broken(); };
  CHECK_THROWS_WITH(Runs(model.graph(), quantize, ruined_sample, 1, broken, context), "sample 0: out of order");
}
