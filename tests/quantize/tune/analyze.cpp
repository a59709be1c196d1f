#include <graft/quantize/tune/analyze.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/evaluate/thread_pool.hpp>
#include <graft/quantize/calibrate/sample.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>

#include "quantize/ruined.hpp"

using namespace graft;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double clipped = 255 / 512.0;
const double noise = (0.75 - clipped) * (0.75 - clipped) + (1 - clipped) * (1 - clipped);
const double ruined_decibels = 10 * std::log10((0.75 * 0.75 + 1) / noise);
const double ruined_cosine = 1.75 / std::sqrt(2 * (0.75 * 0.75 + 1));

/// What the pass finds.
Analysis analysis_of(const Model& model, const Pass& analyzing) {
  Context context;
  const std::string before = model.graph().model().serialize();
  const Report report = analyzing.run(model.graph(), context);
  CHECK(report.changes == 0);
  CHECK(model.graph().model().serialize() == before);
  return *context.facts.find<Analysis>();
}

std::string names(const Analysis& analysis) {
  std::string text;
  for (const TensorNoise& tensor : analysis.tensors) text += tensor.tensor + " ";
  for (const LayerEffect& layer : analysis.layers) text += layer.node + " ";
  return text;
}

std::vector<Feeds> random_samples(std::size_t count) {
  std::mt19937 random(5);
  std::vector<Feeds> samples;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<float> values(32);
    for (float& value : values) value = static_cast<float>(random() % 2001) / 1000 - 1;
    samples.push_back({{"x", Tensor::of<float>({1, 2, 4, 4}, values)}});
  }
  return samples;
}

}  // namespace

TEST_CASE("an analysis that is cancelled is not provided, wherever it ends", "[quantize]") {
  const Model model = identities();
  const std::vector<Feeds> samples(3, ruined_sample[0]);
  std::size_t ended = 0;
  for (std::size_t most = 0; ended == most; ++most) {
    std::size_t asked = 0;
    Context context;
    context.cancelled = [&] { return ++asked > most; };
    const Report report = analyze(ruining(), samples, {.none = true}).run(model.graph(), context);
    const bool is_cancelled = report.outcome == Outcome::cancelled;
    CHECK((context.facts.find<Analysis>() == nullptr) == is_cancelled);
    CHECK(is_cancelled == (asked > most));
    ended += is_cancelled;
  }
  CHECK(ended > 4);
}

TEST_CASE("the tensor whose range is ruined is the worst, by as much as is clipped", "[quantize]") {
  const Model floats = identities();
  Model quantized = identities();
  ruining().run(quantized);
  const Analysis analysis = analyze(floats.graph(), quantized.graph(), ruined_sample);
  CHECK(names(analysis) == "z x y a ");
  CHECK(analysis.tensors[0].decibels == Approx(ruined_decibels));
  CHECK(analysis.tensors[0].node == "z_node");
  CHECK(analysis.tensors[0].floats == Range{0.75f, 1});
  CHECK(analysis.tensors[0].quantized == Range{255 / 512.f, 255 / 512.f});
  for (std::size_t i = 1; i < 4; ++i) CHECK(analysis.tensors[i].decibels == inf);
  CHECK(analysis.tensors[1].node.empty());
  CHECK(analysis.outputs.decibels == Approx(ruined_decibels));
  CHECK(analysis.outputs.cosine == Approx(ruined_cosine));
  CHECK(analysis.outputs.agreement == 0);  // a tie is for the first class
}

TEST_CASE("noise adds up over samples", "[quantize]") {
  const Model floats = identities();
  Model quantized = identities();
  ruining().run(quantized);
  const std::vector<Feeds> samples{ruined_sample[0], two_values(0.25f, 0.125f)};
  const Analysis analysis = analyze(floats.graph(), quantized.graph(), samples);
  const double signal = 0.75 * 0.75 + 1 + 0.25 * 0.25 + 0.125 * 0.125;
  CHECK(analysis.tensors[0].decibels == Approx(10 * std::log10(signal / noise)));
  CHECK(analysis.tensors[0].floats == Range{0.125f, 1});
  CHECK(analysis.outputs.agreement == 0.5);
}

TEST_CASE("a tensor that has no pair is compared as it is, one that the other graph lacks is not", "[quantize]") {
  const auto net = [](bool more) {
    Net made;
    Value& y = made.op("Relu", {&made.conv(*made.x, "c")}, "y");
    return made.build({&made.op("Add", {more ? &made.op("Neg", {&made.op("Neg", {&y}, "n")}, "m") : &y, &y}, "z")});
  };
  const Model floats = net(true);
  Model quantized = net(false);
  inject_qdq(Ranges{{"x", {-1, 1}}, {"y", {0, 2}}}, targets::ort_cpu_x64).run(quantized);
  const Analysis analysis = analyze(floats.graph(), quantized.graph(), random_samples(1));
  CHECK(analysis.tensors.size() == 4);
  for (const TensorNoise& tensor : analysis.tensors) {
    CHECK(tensor.tensor != "n");
    CHECK(tensor.decibels > 20);
    CHECK(tensor.decibels < 100);
  }
}

TEST_CASE("the layer with the ruined range is the worst; turning it back mends all, and others nothing", "[quantize]") {
  const Analysis analysis = analysis_of(identities(), analyze(ruining(), ruined_sample));
  CHECK(names(analysis) == "z x y a z_node y_node a_node ");
  CHECK(analysis.layers[0].quantized_alone.decibels == Approx(ruined_decibels));
  CHECK(analysis.layers[0].in_float_alone == Fidelity());
  CHECK(analysis.layers[1].quantized_alone == Fidelity());
  CHECK(analysis.layers[1].in_float_alone->decibels == Approx(ruined_decibels));
  CHECK(analysis.layers[1].in_float_alone->agreement == 0);
  for (const LayerEffect& layer : analysis.layers) CHECK(layer.in_float_together == Fidelity());
}

TEST_CASE("layers are turned back one upon the other, as many as asked for", "[quantize]") {
  const auto run = [](std::size_t in_float) {
    const WeightForms forms(Granularity::per_tensor, {{"y_node", {Granularity::per_tensor, 2}}});
    Net net;
    Value& y = net.op("Conv", {net.x, &net.constant("y_w", {1, 0.3f, 0.3f, 1}, {2, 2, 1, 1})}, "y");
    Value& z = net.op("Conv", {&y, &net.constant("z_w", {1, 0, 0, 1}, {2, 2, 1, 1})}, "z");
    const Target& target = targets::ort_cpu_x64;
    const Pass quantize = inject_qdq(ruined_ranges, target) | quantize_weights(forms, target);
    LayerTrialOptions trials;
    trials.in_float = in_float;
    return analysis_of(net.build({&z}), analyze(quantize, ruined_sample, trials));
  };
  const Analysis both = run(2), one = run(1);
  REQUIRE(both.layers.size() == 2);
  CHECK(both.layers[0].node == "z_node");
  CHECK(both.layers[0].in_float_together == both.layers[0].in_float_alone);
  CHECK(both.layers[0].in_float_alone->decibels < 20);
  CHECK(both.layers[1].in_float_alone->decibels < 20);
  CHECK(both.layers[1].in_float_together == Fidelity());
  CHECK(one.layers[0].in_float_alone == both.layers[0].in_float_alone);
  CHECK_FALSE(one.layers[1].in_float_alone);
  CHECK_FALSE(one.layers[1].in_float_together);
}

TEST_CASE("layers are those that a pattern names, that quantization takes, and that were not kept before",
          "[quantize]") {
  const auto layers = [](const Pass& before, LayerTrialOptions trials) {
    Model model = identities();
    Context context;
    (before | analyze(ruining(), ruined_sample, std::move(trials))).run(model, context);
    std::string text;
    for (const LayerEffect& layer : context.facts.find<Analysis>()->layers) text += layer.node + " ";
    return text;
  };
  CHECK(layers(exclude_nodes({}), {{"[ya]_node"}}) == "y_node a_node ");
  CHECK(layers(exclude_nodes({"a_node"}), {}) == "z_node y_node ");
  CHECK(layers(exclude_nodes({".*"}), {}).empty());
}

TEST_CASE("figures do not depend on how many threads run a graph", "[quantize]") {
  std::vector<Analysis> found;
  for (const int threads : {1, 2}) {
    ThreadPool pool(threads);
    const auto executor = [&pool](const Graph& graph) { return Evaluator(graph, std::ref(pool)); };
    found.push_back(analysis_of(identities(), analyze(ruining(), random_samples(5), {}, executor)));
  }
  found.push_back(analysis_of(identities(), analyze(ruining(), random_samples(5))));
  for (const Analysis& other : found) {
    CHECK(names(other) == names(found[0]));
    CHECK(other.outputs == found[0].outputs);
    for (std::size_t i = 0; i < other.tensors.size(); ++i)
      CHECK(other.tensors[i].decibels == found[0].tensors[i].decibels);
    for (std::size_t i = 0; i < other.layers.size(); ++i) {
      CHECK(other.layers[i].quantized_alone == found[0].layers[i].quantized_alone);
      CHECK(other.layers[i].in_float_alone == found[0].layers[i].in_float_alone);
      CHECK(other.layers[i].in_float_together == found[0].layers[i].in_float_together);
    }
  }
}

TEST_CASE("what cannot be analyzed is an error", "[quantize]") {
  Model model = identities();
  CHECK_THROWS_WITH(analyze(ruining(), std::vector<Feeds>()).run(model), Catch::Contains("there is no sample"));
  CHECK_THROWS_WITH(analyze(model.graph(), model.graph(), std::vector<Feeds>()), Catch::Contains("no sample"));
  const SampleStream once(
      [n = 0]() mutable { return n++ == 0 ? std::optional<Sample>(ruined_sample[0]) : std::nullopt; });
  CHECK_THROWS_WITH(analyze(ruining(), once).run(model), Catch::Contains("vector"));
  const std::vector<Sample> wrong{{{{"x", Tensor(DType::f32, {1})}}, "bad.pb"}};
  CHECK_THROWS_WITH(analyze(ruining(), wrong).run(model), Catch::Contains("bad.pb"));
  const Pass unranged = analyze(inject_qdq(targets::ort_cpu_x64), ruined_sample);
  CHECK_THROWS_WITH(unranged.run(model), Catch::Contains("needs ranges"));
}

TEST_CASE("a tensor that has other dims in the other graph is left out", "[quantize]") {
  const Model model = identities();
  Net net;
  const Model other = net.build({&net.op("Transpose", {&net.op("Conv", {net.x, &net.weight("w")}, "y")}, "z")});
  const Analysis analysis = analyze(model.graph(), other.graph(), ruined_sample);
  for (const TensorNoise& one : analysis.tensors) CHECK(one.tensor != "z");
  CHECK(analysis.outputs.cosine == 0);
}

TEST_CASE("analysis is cancelled between runs, and tells how far it is", "[quantize]") {
  Model model = identities();
  Context context;
  std::size_t told = 0;
  context.progress = [&](const Progress& at) {
    ++told;
    CHECK(at.total == 3);
  };
  context.cancelled = [&] { return told == 2; };
  CHECK(analyze(ruining(), ruined_sample).run(model, context).outcome == Outcome::cancelled);
  CHECK(told == 2);
  CHECK(context.facts.find<Analysis>() == nullptr);
}

TEST_CASE("outputs of strings are not measured", "[quantize]") {
  const auto with_strings = [] {
    onnx::ModelProto proto = identities().proto();
    onnx::TypeProto type;
    type.mutable_tensor_type()->set_elem_type(onnx::TensorProto::STRING);
    for (onnx::ValueInfoProto* const info : {proto.mutable_graph()->add_input(), proto.mutable_graph()->add_output()})
      *info->mutable_type() = type;
    proto.mutable_graph()->mutable_input(1)->set_name("words");
    proto.mutable_graph()->mutable_output(1)->set_name("words");
    return Model(proto);
  };
  const Analysis analysis = analysis_of(with_strings(), analyze(ruining(), ruined_sample));
  CHECK(analysis.outputs.decibels == Approx(ruined_decibels));
  CHECK(analysis.layers.size() == 3);
}
