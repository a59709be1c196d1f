#include <graft/quantize/run/quantize.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/verify.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/quantize/calibrate/observers/from_histogram.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/tune/analyze.hpp>
#include <graft/testing/random.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

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
  options.static_options().placement = placement;
  return options;
}

std::vector<std::string> steps(const QuantizeResult& result) {
  std::vector<std::string> names;
  for (const Report& step : result.passes.steps) names.push_back(step.pass);
  return names;
}

/// A sample is read when it is asked for; those at some places cannot be.
struct Torn {
  std::vector<Feeds> samples;
  std::vector<std::size_t> torn;

  std::size_t size() const { return samples.size(); }
  Sample operator[](std::size_t i) const {
    if (std::find(torn.begin(), torn.end(), i) != torn.end()) throw Error("is torn").file(std::to_string(i));
    return samples[i];
  }
  struct Iterator {
    const Torn* all;
    std::size_t i;
    Sample operator*() const { return (*all)[i]; }
    Iterator& operator++() { return ++i, *this; }
    bool operator==(const Iterator& other) const { return i == other.i; }
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }
};

std::string notes(const QuantizeResult& result) {
  std::string text;
  for (const Report& step : result.passes.steps)
    for (const std::string& note : step.notes) text += note + "\n";
  return text;
}

/// The scale of the weight of the first Conv.
float weight_scale(const Model& model) {
  for (const Node& node : model.graph().nodes())
    if (node.is("Conv")) return quantized_constant(*node.input(1)->producer())->scale.item<float>();
  return 0;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Four magnitudes by turns, each so many times the one before: samples without a scale in common, if it is not 1.
std::vector<Feeds> of_magnitudes(const Dims& dims, float step) {
  std::vector<Feeds> samples;
  for (int i = 0; i < 8; ++i) {
    std::mt19937 random(static_cast<unsigned>(i));
    std::normal_distribution<float> normal(0, std::pow(step, static_cast<float>(i % 4)));
    std::vector<float> values(64 * 256);
    for (float& value : values) value = normal(random);
    samples.push_back({{"x", Tensor::of<float>(dims, values)}});
  }
  return samples;
}

}  // namespace

TEST_CASE("quantize() takes dynamic quantization where that comes nearer to float", "[quantize]") {
  const Model floats = graph("x: f32[1,64,256]; y = MatMul(x, f32[256,256] random)");
  const std::vector<Feeds> samples = of_magnitudes({1, 64, 256}, 10);
  Model dynamic = Model(floats.proto()), fixed = Model(floats.proto()), analyzed = Model(floats.proto());
  const QuantizeResult result = quantize(dynamic, samples, targets::ort_cpu_x64);
  CHECK(result.products == 1);
  CHECK(result.pairs == 0);
  CHECK_THAT(result.trials.front().name, Catch::EndsWith("dynamic products: 1"));
  CHECK(result.fidelity()->cosine > 0.999);
  CHECK(count(dynamic.graph(), "MatMulInteger") == 1);
  QuantizeOptions options;
  options.static_options().analyze = true;
  CHECK(quantize(analyzed, samples, targets::ort_cpu_x64, options).products == 1);
  options = {};
  options.static_options().mix_forms = false;
  options.static_options().search_runs = 0;  // static quantization is poor here
  CHECK(quantize(fixed, samples, targets::ort_cpu_x64, options).pairs == 1);
  CHECK(count(fixed.graph(), "MatMulInteger") == 0);
}

TEST_CASE("beside convolutions, quantize() takes dynamic quantization where static is poor", "[quantize]") {
  const char* const text =
      "x: f32[1,1,64,256]; h = Conv(x, f32[1,1,1,1] 2); "
      "y = MatMul(Reshape(h, i64[3] {1, 64, 256}), f32[256,256] random)";
  Model wide = graph(text), even = graph(text);
  CHECK(quantize(wide, of_magnitudes({1, 1, 64, 256}, 10), targets::ort_cpu_x64).products == 1);
  CHECK(count(wide.graph(), "MatMulInteger") == 1);
  CHECK(count(wide.graph(), "Conv") == 1);
  CHECK(quantize(even, of_magnitudes({1, 1, 64, 256}, 1), targets::ort_cpu_x64).pairs != 0);
  CHECK(count(even.graph(), "MatMulInteger") == 0);
}

TEST_CASE("one call quantizes a model, and judges ways on samples that their ranges were found without", "[quantize]") {
  Model model = graph(two_convs);
  const QuantizeResult result = quantize(model, noise(20), target, with(Placement::all_supported));
  CHECK(result.calibration_samples == 20);
  CHECK(result.held_out_samples == 20);
  CHECK(result.pairs == 3);
  CHECK(result.audit.fused() == 2);
  REQUIRE(result.trials.size() >= 7);
  for (const QuantizeTrial& trial : result.trials)
    CHECK((trial.within_noise || trial.fidelity.cosine <= result.fidelity()->cosine));
  CHECK(result.fidelity()->cosine > 0.99);
  REQUIRE(result.checked);
  CHECK(result.checked->cosine > 0.99);
  CHECK(result.ranges.find("x") != nullptr);
  CHECK(has(steps(result), "quantize_weights"));
}

TEST_CASE("a way that falls too far behind another is not tried to the end", "[quantize]") {
  // One value is far out, of one sample of the calibration and of each that is held out: percentiles cut it off.
  std::vector<Feeds> samples;
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 40; ++i) {
    std::vector<float> values(3 * 20 * 20);
    for (float& value : values) value = normal(random);
    if (i == 0 || i % 4 == 3) values[5] = 500;
    samples.push_back({{"x", Tensor::of<float>({1, 3, 20, 20}, values)}});
  }
  Model model = graph("x: f32[1,3,20,20]; y = Conv(x, f32[4,3,1,1] random)");
  const QuantizeResult result = quantize(model, samples, target, with(Placement::all_supported));
  const auto ended_early = [](const QuantizeTrial& trial) { return trial.ended_early; };
  CHECK(std::ranges::any_of(result.trials, ended_early));
  CHECK_FALSE(result.trials.front().ended_early);
  for (const QuantizeTrial& trial : result.trials) {
    CHECK((trial.within_noise || trial.fidelity.cosine <= result.fidelity()->cosine));
    CHECK((to_string(trial).find("on the first samples") != std::string::npos) == trial.ended_early);
  }
}

TEST_CASE("of ways that differ by no more than the noise the simplest is taken", "[quantize]") {
  Model even = graph("x: f32[1,3,8,8]; y = Conv(x, f32[4,3,1,1] random)");
  Random random(5);
  std::vector<Feeds> samples;
  for (int i = 0; i < 12; ++i)
    samples.push_back({{"x", random_tensor(DType::f32, {1, 3, 8, 8}, random, Interval{-1, 1})}});
  QuantizeOptions options = with(Placement::all_supported);
  const RangeMethod wider("a hair wider", Percentile{100});
  options.static_options().ranges = {wider, wider};
  const QuantizeResult result = quantize(even, samples, target, options);
  CHECK(result.trials.front().name == "min-max");
  for (const QuantizeTrial& trial : result.trials)
    CHECK((to_string(trial).find("the noise") != std::string::npos) == trial.within_noise);
}

TEST_CASE("the fast way tries nothing, and takes ranges from least to greatest of all samples", "[quantize]") {
  Model model = graph(two_convs);
  const QuantizeResult result =
      quantize(model, noise(20), target, with(Placement::all_supported, QuantizeOptions::fast()));
  CHECK(result.calibration_samples == 20);
  CHECK(result.held_out_samples == 0);
  CHECK(result.trials.empty());
  REQUIRE(result.accuracy);  // that of the last check
  CHECK(result.fidelity() == result.checked);
  CHECK(result.accuracy->samples == 8);
  CHECK_FALSE(result.accuracy->are_unseen);
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

TEST_CASE("no sample is held out where none may be", "[quantize]") {
  Model model = graph(two_convs);
  QuantizeOptions options = with(Placement::all_supported);
  options.max_held_out = 0;
  const QuantizeResult result = quantize(model, noise(8), target, options);
  CHECK(result.calibration_samples == 8);
  CHECK(result.held_out_samples == 0);
  CHECK_FALSE(result.trials.empty());
}

TEST_CASE("huge weights are edited only where that is asked for", "[quantize]") {
  constexpr const char* dead = R"(
      x: f32[1,3,8,8]; w = f32[2,3,1,1] {1, -2, 3, 5e4, -4e4, 3e4};
      y = Relu(Conv(x, w, f32[2] {0.5, -1e7})))";
  QuantizeOptions options = with(Placement::all_supported, QuantizeOptions::fast());
  options.static_options().weights = Granularity::per_tensor;
  const auto once = [samples = noise(5)] {
    return SampleStream([samples, i = std::size_t{0}]() mutable {
      return i == samples.size() ? std::nullopt : std::optional<Sample>(samples[i++]);
    });
  };
  Model left = graph(dead);
  Context context;
  std::string log;
  context.log = [&](std::string_view message) { log += message; };
  // Nothing is left of the other weights. That needs no second look at the samples.
  CHECK_THROWS_WITH(quantize(left, once(), target, options, context), Catch::Contains("cosine of 0.000"));
  CHECK_THAT(log, Catch::Contains("some weights are huge"));
  options.static_options().zero_dead_channels = true;
  Model zeroed = graph(dead);
  CHECK(quantize(zeroed, once(), target, options).passes.warnings.empty());
  CHECK(weight_scale(zeroed) == Approx(3.0 / 127));
}

TEST_CASE("statistics of another model's samples do not apply to this one", "[quantize]") {
  for (const QuantizeOptions& options : {QuantizeOptions(), QuantizeOptions::fast()}) {
    Model first = graph(two_convs), second = graph(two_convs), alone = graph(two_convs);
    std::vector<Feeds> louder = noise(8);
    for (Feeds& feeds : louder)
      for (float& value : feeds.front().second.mutable_data<float>()) value *= 3;
    Context context;
    quantize(first, noise(8), target, with(Placement::all_supported, options), context);
    quantize(second, louder, target, with(Placement::all_supported, options), context);
    quantize(alone, louder, target, with(Placement::all_supported, options));
    CHECK(second.serialize() == alone.serialize());
  }
}

TEST_CASE("a view is quantized in place, and its proto stays as it is until the commit", "[quantize]") {
  // The weights of neighbours differ so much that equalizing them helps.
  constexpr const char* unequal = R"(
      x: f32[1,3,8,8]; w = f32[4,3,1,1] {1, -2, 3, 0.05, 0.025, -0.1, 0.02, 0.01, -0.03, 100, 100, 100};
      v = f32[2,4,1,1] {1, 10, 10, 0.01, -1, 10, 20, 0.01}; y = Conv(Relu(Conv(x, w, f32[4] 0.5)), v))";
  QuantizeOptions options = with(Placement::all_supported);
  options.static_options().weights = Granularity::per_tensor;
  options.static_options().layer_trials.samples = 2;
  for (const bool analyzes : {false, true}) {
    options.static_options().analyze = analyzes;
    Model own = graph(unequal);
    onnx::ModelProto proto = own.commit();
    const std::string before = proto.SerializeAsString();
    Model view = Model::view(proto);
    Graph& seen = view.graph();
    const QuantizeResult result = quantize(view, noise(20), target, options);
    REQUIRE_THAT(result.trials.front().name, Catch::Contains("equalized"));
    CHECK(proto.SerializeAsString() == before);
    CHECK(&view.graph() == &seen);
    quantize(own, noise(20), target, options);
    CHECK(view.commit().SerializeAsString() == own.serialize());
    CHECK(verify(view).empty());
    CHECK(proto.SerializeAsString() != before);
  }
}

TEST_CASE("held-out samples that cannot be read are named, and others take their place", "[quantize]") {
  const auto quantized = [](std::size_t count, std::vector<std::size_t> torn) {
    Model model = graph(two_convs);
    return quantize(model, SampleSource(Torn{noise(count), std::move(torn)}).skipping_unreadable(), target,
                    with(Placement::all_supported));
  };
  const QuantizeResult some = quantized(8, {3});
  CHECK(some.held_out_samples == 7);
  CHECK_THAT(notes(some), Catch::Contains("could not be read: 3: is torn"));
  CHECK(some.unreadable == std::vector<std::string>{"3: is torn"});
  const QuantizeResult fold = quantized(5, {3});  // the only one of its fold
  CHECK(fold.held_out_samples == 4);
  CHECK_FALSE(fold.trials.empty());
  CHECK_THAT(notes(fold), Catch::Contains("could not be read: 3: is torn"));
}

namespace {

/// Attention with a cache, spelt in primitives, and a product by a constant.
constexpr const char* decoder = R"(
    opset 17; q: f32[B,1,32]; k: f32[B,1,16]; v: f32[B,1,16]; pk: f32[B,2,P,8]; pv: f32[B,2,P,8];
    split = i64[4] {0, 0, 2, 8}; g = i64[5] {1, 1, 2, 1, 1}; h = i64[4] {0, 4, -1, 8};
    nk = Concat(pk, Transpose(Reshape(k, split)) {perm=[0,2,1,3]}) {axis=2};
    nv = Concat(pv, Transpose(Reshape(v, split)) {perm=[0,2,1,3]}) {axis=2};
    qh = Transpose(Reshape(q, i64[4] {0, 0, 4, 8})) {perm=[0,2,1,3]};
    rk = Reshape(Expand(Unsqueeze(nk, i64[1] 2), g), h);
    rv = Reshape(Expand(Unsqueeze(nv, i64[1] 2), g), h);
    s = Mul(MatMul(qh, Transpose(rk) {perm=[0,1,3,2]}), f32[] 0.3535534); a = MatMul(Softmax(s) {axis=-1}, rv);
    j = Reshape(Transpose(a) {perm=[0,2,1,3]}, i64[3] {0, 0, 32}); y = MatMul(j, f32[32,16] random); return y, nk, nv)";

/// After a past of three steps.
std::vector<Feeds> single_steps(std::size_t count) {
  Random random(5);
  std::vector<Feeds> samples(count);
  for (Feeds& feeds : samples)
    for (const auto& [name, dims] : {std::pair{"q", Dims{1, 1, 32}}, std::pair{"k", Dims{1, 1, 16}},
                                     std::pair{"v", Dims{1, 1, 16}}, std::pair{"pk", Dims{1, 2, 3, 8}},
                                     std::pair{"pv", Dims{1, 2, 3, 8}}})
      feeds.emplace_back(name, random_tensor(DType::f32, dims, random, Interval{-1, 1}));
  return samples;
}

const Target& with_caches = targets::at_release(targets::ort_cpu_x64, {1, 28});

}  // namespace

TEST_CASE("caches become integers beside weights, or alone, in attention that is fused for them", "[quantize]") {
  for (const bool is_alone : {false, true}) {
    QuantizeOptions options{.mode = DynamicOptions(), .cache_bits = 8};
    if (is_alone) options.exclude.emplace_back(".*");
    Model model = graph(decoder);
    const QuantizeResult result = quantize(model, single_steps(8), with_caches, options);
    CHECK(result.caches == 1);
    CHECK((result.products == 0) == is_alone);
    CHECK(result.nothing_quantized.empty());
    CHECK(result.passes.warnings.empty());
    for (const char* const name : {"pk", "pv", "nk", "nv"}) CHECK(model.graph().find(name)->dtype() == DType::i8);
    CHECK_THAT(ops(model.graph()), Catch::Contains("GroupQueryAttention"));
    CHECK(verify(model).empty());
  }
  Model model = graph(decoder);
  QuantizeOptions options{.mode = DynamicOptions(), .exclude = {NamePattern(".*")}};
  CHECK_FALSE(quantize(model, single_steps(8), with_caches, options).nothing_quantized.empty());
  CHECK_THAT(ops(model.graph()), !Catch::Contains("GroupQueryAttention"));
}

TEST_CASE("caches that cannot be integers are an Error before a sample is read", "[quantize]") {
  const auto refused = [](const char* text, const Target& runtime, const std::string& why) {
    for (const QuantizationMode& mode : {QuantizationMode(), QuantizationMode(BlockwiseOptions())}) {
      Model model = graph(text);
      const std::string before = model.serialize();
      const SampleSource samples(Torn{single_steps(2), {0, 1}});
      CHECK_THROWS_WITH(quantize(model, samples, runtime, {.mode = mode, .cache_bits = 8}), Catch::StartsWith(why));
      CHECK(model.serialize() == before);
    }
  };
  refused(two_convs, with_caches, "cache_bits: no GroupQueryAttention of com.microsoft has a cache");
  refused(decoder, target, "target: 'ort-cpu-x64' has no attention with a cache of 8 bits; release 1.28 has");
  Model model = graph(decoder);
  Context context;
  CHECK_THROWS_WITH(quantize(model, with_caches, {.mode = DynamicOptions(), .cache_bits = 8}, context),
                    Catch::StartsWith("cache_bits: needs samples"));
}

TEST_CASE("caches that no sample fills stay in float, with a warning, and weights stay quantized", "[quantize]") {
  Model model = graph("opset 17; q: f32[B,S,32]; k: f32[B,S,16]; v: f32[B,S,16]; pk: f32[B,2,P,8]; pv: f32[B,2,P,8]; "
                      "n: i32[B]; m: i32[]; a, nk, nv = com.microsoft::GroupQueryAttention(q, k, v, pk, pv, n, m) "
                      "{num_heads=4, kv_num_heads=2}; y = MatMul(a, f32[32,16] random); return y, nk, nv");
  const Feeds unfilled{{"q", Tensor(DType::f32, {1, 0, 32})},
                       {"k", Tensor(DType::f32, {1, 0, 16})},
                       {"v", Tensor(DType::f32, {1, 0, 16})},
                       {"pk", Tensor(DType::f32, {1, 2, 0, 8})},
                       {"pv", Tensor(DType::f32, {1, 2, 0, 8})},
                       {"n", Tensor::of<std::int32_t>({1}, {-1})},
                       {"m", Tensor::of<std::int32_t>({}, {0})}};
  const QuantizeResult result = quantize(model, std::vector<Feeds>{unfilled}, with_caches,
                                         {.mode = BlockwiseOptions(), .cache_bits = 8, .compare = false});
  CHECK(result.caches == 0);
  CHECK(result.products == 1);
  CHECK(result.passes.warnings == std::vector<std::string>{"the cache of 'a' stays in float: no sample has a key"});
  CHECK(model.graph().find("pk")->dtype() == DType::f32);
}

TEST_CASE("constants with a scale that is computed are tried as they are", "[quantize]") {
  Model model = graph(R"(
      opset 13; x: f32[1,3,8,8]; w = f32[4,3,1,1] {1, -2, 3, 0.5, 0.25, -1, 2, 1, -3, 1, 1, 1};
      s = Abs(Squeeze(ReduceMax(x) {keepdims=0}));
      y = Add(Conv(x, w), DequantizeLinear(i8[1,4,1,1] {1, 2, 3, 4}, s)))");
  const QuantizeResult result = quantize(model, noise(8), target, with(Placement::all_supported));
  CHECK_FALSE(result.trials.empty());
}

TEST_CASE("weights are clipped where ways are tried alone, and not in the way that is the simplest", "[quantize]") {
  constexpr const char* outlier = R"(
      x: f32[1,3,8,8]; w = f32[8,3,1,1] {0.2, -0.2, 0.2, 0.2, 0.2, -0.2, 0.2, 0.2, -0.2, 0.2, -0.2, 0.2,
                                         0.2, -0.2, 0.2, 0.2, 0.2, -0.2, 0.2, 0.2, -0.2, 0.2, -0.2, 1};
      y = Conv(x, w))";
  const float whole = 1.0f / 3;
  const auto scale = [&](QuantizeOptions options) {
    Model model = graph(outlier);
    options.static_options().placement = Placement::all_supported;
    options.static_options().weights = WeightForm(Granularity::per_tensor, 3);
    quantize(model, noise(8), target, options);
    return weight_scale(model);
  };
  QuantizeOptions options;
  options.static_options().equalize = options.static_options().zero_dead_channels =
      options.static_options().correct_biases = false;
  const RangeMethod narrow("too narrow", Percentile{70});
  options.static_options().ranges = narrow;
  options.compare = false;
  options.static_options().search_runs = 0;
  CHECK(scale(options) == Approx(whole));  // one way, so nothing is tried
  options.static_options().ranges = {narrow, narrow};
  CHECK(scale(options) < whole * 0.99f);
  options.compare = true;  // min-max ranges alone are better than these
  CHECK(scale(options) == Approx(whole));
  options = {};
  options.static_options().ranges = Ranges{{"x", {-1, 1}}, {"y", {-2, 2}}};
  CHECK(scale(options) == Approx(whole));
}

TEST_CASE("tables are quantized to 8 bits without clipping, unless theirs is another form", "[quantize]") {
  std::string rows;
  for (int i = 0; i < (1 << 14) - 1; ++i) rows += std::to_string(i % 7 - 3) + "e-2, ";
  const std::string text = "opset 13; ids: i64[2]; y = Gather(f32[2048,8] {" + rows + "4}, ids)";
  const auto scale = [&](const WeightForms& forms) {
    Model model = graph(text);
    QuantizeOptions options;
    options.static_options().weights = forms;
    const std::vector<Feeds> samples(5, Feeds{{"ids", Tensor::of<std::int64_t>({2}, {0, 2047})}});
    const QuantizeResult result = quantize(model, samples, target, options);
    CHECK(result.pairs == 0);
    CHECK(result.tables == 1);
    for (const Node& node : model.graph().nodes())
      if (node.is("Mul")) return node.input(1)->constant()->item<float>();
    return 0.0f;
  };
  CHECK(scale(Granularity::per_tensor) == Approx(4.0 / 127));
  const WeightForm narrow(Granularity::per_tensor, 4, Clipping::squared_error);
  CHECK(scale(narrow) == Approx(4.0 / 127));
  CHECK(scale({Granularity::per_tensor, {{NamePattern("y"), WeightForm(Granularity::per_tensor, 4)}}}) ==
        Approx(4.0 / 7));
}

TEST_CASE("where the best way is poor the layers that lose most stay in float, within the work that is allowed",
          "[quantize]") {
  // One channel is far above the others, which a depthwise Conv tells apart again: per tensor nothing is left of these.
  const char* const text = R"(
      x: f32[1,4,8,8]; a = Conv(x, f32[4,4,1,1] random);
      b = Conv(Mul(a, f32[1,4,1,1] {150, 1, 1, 1}), f32[4,1,1,1] {0.006, 1, 1, 1}) {group=4};
      y = Conv(b, f32[4,4,1,1] random))";
  Random random(5);
  std::vector<Feeds> samples;
  for (int i = 0; i < 8; ++i)
    samples.push_back({{"x", random_tensor(DType::f32, {1, 4, 8, 8}, random, Interval{-1, 1})}});
  QuantizeOptions options = with(Placement::all_supported);
  options.static_options().equalize = false;
  options.static_options().search_runs = 0;
  Model poor = graph(text), better = graph(text), same = graph(text);
  const QuantizeResult left = quantize(poor, samples, target, options);
  REQUIRE(left.is_poor());
  CHECK_FALSE(left.poor_layers);
  CHECK(left.fidelity() == left.trials.front().fidelity);
  CHECK((left.accuracy->samples == 8 && left.accuracy->are_unseen));
  REQUIRE(left.passes.warnings.size() == 1);
  CHECK_THAT(left.passes.warnings[0], Catch::Contains("far from those of the float model"));
  options.static_options().search_runs = StaticOptions().search_runs;
  const QuantizeResult found = quantize(better, samples, target, options);
  REQUIRE(found.poor_layers);
  CHECK(found.poor_layers->found.met);
  CHECK_FALSE(found.poor_layers->found.in_float.empty());
  CHECK(found.pairs != 0);
  CHECK_FALSE(found.is_poor());
  CHECK(found.passes.warnings.empty());
  CHECK(found.fidelity() == found.poor_layers->found.reached);
  CHECK((found.accuracy->samples == 8 && !found.accuracy->are_unseen));
  for (const std::string& name : found.poor_layers->found.in_float)
    CHECK(std::ranges::any_of(found.outcomes, [&](const OperatorOutcome& one) {
      return one.node == name && one.text == "outputs are poor with it in integers";
    }));
  CHECK_THAT(to_string(*found.poor_layers), Catch::Contains(" in float of ") && Catch::Contains(" pairs left"));
  CHECK(found.passes.step("keep_fewest_in_float")->notes.back() == to_string(*found.poor_layers));
  options.static_options().goal = FidelityGoal{.cosine = 0.9};
  Model aimed = graph(text);
  const QuantizeResult reached = quantize(aimed, samples, target, options);
  CHECK(reached.fidelity() == reached.goal->reached);
  CHECK_FALSE(reached.poor_layers);
  options.static_options().goal.reset();
  Context context;
  context.threads = 3;
  quantize(same, samples, target, options, context);
  CHECK(same.serialize() == better.serialize());
}

TEST_CASE("where the way is neither poor nor near its ranges are refined by what they do to the outputs",
          "[quantize]") {
  // What r has of its last channel is of no use to y, and takes most of the range.
  const char* const text = R"(
      x: f32[1,4,8,8]; w = f32[4,4,3,3] random; r = Mul(Relu(Conv(x, w) {pads=[1,1,1,1]}), f32[4,1,1] {1, 1, 1, 40});
      y = Conv(r, f32[4,4,1,1] {1, -2, 3, 0, 2, 1, -1, 0, -1, 1, 1, 0, 1, 2, 2, 0}))";
  const auto noise = [](std::uint64_t seed, int count) {
    Random random(seed);
    std::vector<Feeds> samples;
    for (int i = 0; i < count; ++i)
      samples.push_back({{"x", random_tensor(DType::f32, {1, 4, 8, 8}, random, Interval{-1, 1})}});
    return samples;
  };
  const std::vector<Feeds> samples = noise(5, 20), unseen = noise(6, 20);
  const auto quantized = [&](const QuantizeOptions& options, QuantizeResult& result) {
    Model model = graph(text);
    result = quantize(model, samples, target, options);
    return model;
  };
  const auto decibels = [&](Model& model) {
    const Model floats = graph(text);
    return analyze(floats.graph(), model.graph(), unseen).outputs.decibels;
  };
  QuantizeOptions options = with(Placement::all_supported);
  options.static_options().equalize = options.static_options().smooth = false;
  QuantizeOptions fixed = options, none = options, known = options;
  none.static_options().search_runs = 0;
  QuantizeResult with_search, without, kept, again;
  Model refined = quantized(options, with_search), plain = quantized(none, without);
  REQUIRE(with_search.refined);
  REQUIRE_FALSE(with_search.refined->changed.empty());
  CHECK_FALSE(without.refined);
  CHECK(decibels(refined) > decibels(plain) + 1);
  CHECK(without.fidelity() == without.trials.front().fidelity);
  CHECK(without.accuracy->are_unseen);
  CHECK(with_search.fidelity()->decibels > without.fidelity()->decibels);
  CHECK((with_search.accuracy->samples == 20 && !with_search.accuracy->are_unseen));
  const std::string& changed = with_search.refined->changed.front();
  CHECK_FALSE(with_search.ranges.at(changed) == without.ranges.at(changed));

  fixed.static_options().range_overrides = {{NamePattern(changed), without.ranges.at(changed)}};
  quantized(fixed, kept);
  CHECK(kept.ranges.at(changed) == without.ranges.at(changed));
  known.static_options().ranges = with_search.ranges;
  Model same = quantized(known, again);
  CHECK_FALSE(again.refined);
  const auto scales = [](const Model& model) {
    std::vector<float> all;
    for (const Node& node : model.graph().nodes())
      if (is_quantize(node)) all.push_back(node.input(1)->constant()->item<float>());
    return all;
  };
  CHECK(scales(same) == scales(refined));
}

TEST_CASE("ranges are refined on at most 24 samples, and not on less than 12", "[quantize]") {
  const auto trials = [](std::size_t count) {
    Model model = graph(two_convs);
    QuantizeOptions options = with(Placement::all_supported);
    options.static_options().equalize = options.static_options().smooth = options.static_options().correct_biases =
        false;
    return quantize(model, noise(count), target, options).refined;
  };
  REQUIRE(trials(12));
  CHECK_FALSE(trials(11));
}

TEST_CASE("known ranges need no samples", "[quantize]") {
  Model model = graph(two_convs), other = graph(two_convs);
  const QuantizeResult first =
      quantize(model, noise(8), target, with(Placement::all_supported, QuantizeOptions::fast()));
  QuantizeOptions options = with(Placement::all_supported);
  options.static_options().ranges = first.ranges;
  Context context;
  const QuantizeResult second = quantize(other, target, options, context);
  CHECK(second.pairs == 3);
  CHECK(other.serialize() == model.serialize());
  Model third = graph(two_convs);
  CHECK_THROWS_WITH(quantize(third, target, {}, context), "there are neither samples nor ranges");
  options.static_options().ranges = Ranges{{"other", {0, 1}}};
  CHECK_THROWS_WITH(quantize(third, target, options, context), "ranges: are of no tensor of this model");
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

TEST_CASE("no mode writes a normalization that the standard does not have", "[quantize]") {
  QuantizeOptions dynamic, weights;
  dynamic.mode = DynamicOptions();
  weights.mode = BlockwiseOptions();
  for (const QuantizeOptions& options : {with(Placement::all_supported, QuantizeOptions::fast()), dynamic, weights}) {
    Model model = graph(R"(opset 23; x: f32[2,64]; w = f32[64,64] random;
        y = MatMul(SimplifiedLayerNormalization(x, f32[64] random), w))");
    Context context;
    Random random(4);
    const std::vector<Feeds> samples{{{"x", random_tensor(DType::f32, {2, 64}, random, Interval{-1, 1})}}};
    quantize(model, samples, target, options, context);
    const auto is_own = [](const Node& node) { return node.is("SimplifiedLayerNormalization"); };
    CHECK(std::ranges::none_of(model.graph().nodes(), is_own));
  }
}

TEST_CASE("denormal activations are warned of once, by name", "[quantize]") {
  Model model = graph("x: f32[1,3,8,8]; h = Mul(Relu(x), f32[] 1e-39); y = Conv(Add(h, x), f32[4,3,1,1] random)");
  const QuantizeResult result = quantize(model, noise(20), target, with(Placement::all_supported));
  REQUIRE(result.passes.warnings.size() == 1);
  CHECK_THAT(result.passes.warnings[0], Catch::StartsWith("tensor 'h': ") && Catch::Contains("denormal"));
}

TEST_CASE("names that match nothing are warned of", "[quantize]") {
  Model model = graph(two_convs);
  QuantizeOptions options = with(Placement::all_supported, QuantizeOptions::fast());
  options.exclude = {NamePattern("nothing")};
  options.static_options().range_overrides = {{NamePattern("none"), {0, 1}}};
  const QuantizeResult result = quantize(model, noise(2), target, options);
  CHECK(result.passes.warnings.size() == 2);
}

TEST_CASE("a target that computes nothing of the quantized model in integers is warned of", "[quantize]") {
  constexpr const char* unknown = "x: f32[N,3,8,8]; w = f32[4,3,1,1] 0.5; y = Relu(Conv(x, w))";
  const auto warnings = [](const char* text) {
    Model model = graph(text);
    std::string all;
    for (const std::string& note : quantize(model, noise(2), targets::qnn_htp, QuantizeOptions::fast()).passes.warnings)
      all += note + "\n";
    return all;
  };
  CHECK_THAT(warnings(unknown), Catch::Contains("qnn-htp computes no operator of the quantized model in integers") &&
                                    Catch::Contains("give its inputs extents that do not vary"));
  CHECK_THAT(warnings("x: f32[1,3,8,8]; w = f32[4,3,1,1] 0.5; y = Relu(Conv(x, w))"),
             !Catch::Contains("computes no operator"));
}

TEST_CASE("ranges and dtypes that are given hold", "[quantize]") {
  Model model = graph(two_convs);
  QuantizeOptions options = with(Placement::all_supported);
  options.static_options().range_overrides = {{NamePattern("x"), {-2, 2}}};
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

TEST_CASE("a run that is cancelled while it compares stops", "[quantize]") {
  Model model = graph(two_convs);
  Context context;
  bool compares = false;
  context.progress = [&](const Progress& at) { compares = compares || at.pass == "compare"; };
  context.cancelled = [&] { return compares; };
  const QuantizeResult result = quantize(model, noise(8), target, {}, context);
  CHECK(compares);
  CHECK(result.trials.empty());
  CHECK(result.pairs == 0);
}

TEST_CASE("whether a product pays is decided by the sizes that samples have, not those that the graph leaves open",
          "[quantize]") {
  const auto quantized = [](const std::string& shape, const Dims& dims) {
    Model model = graph("x: f32[" + shape + ",64]; y = MatMul(x, f32[64,64] 0.5)");
    Random random(3);
    std::vector<Feeds> samples;
    for (int i = 0; i < 4; ++i) samples.push_back({{"x", random_tensor(DType::f32, dims, random, Interval{-1, 1})}});
    return quantize(model, samples, target).expected_time.speedup();
  };
  CHECK(quantized("N", {512, 64}) > 1.1);  // one row, were N not known
  CHECK(quantized("N", {1, 64}) == 1);
  CHECK(quantized("N,H,W", {1, 32, 32, 64}) > 1.1);
  CHECK(quantized("N,H,W", {1, 2, 2, 64}) == 1);  // 32 by 32 rows
}
