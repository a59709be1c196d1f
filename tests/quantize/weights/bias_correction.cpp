#include <graft/quantize/weights/bias_correction.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

std::vector<float> random_floats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  std::generate(values.begin(), values.end(), [&] { return uniform(random); });
  return values;
}

/// Of [1, channels, side, side], each channel one value.
Feeds flat(std::span<const float> channels, std::int64_t side) {
  std::vector<float> values;
  for (const float value : channels) values.insert(values.end(), static_cast<std::size_t>(side * side), value);
  return {{"x", Tensor::of<float>({1, static_cast<std::int64_t>(channels.size()), side, side}, values)}};
}

constexpr Target target = targets::ort_cpu_x64;

/// How far, at most, the outputs move when the weights are quantized after these passes.
float moved(const Model& before, const Pass& passes, const Feeds& feeds) {
  Model after(before.proto());
  passes.run(after);
  const auto wanted = Evaluator(before.graph()).run(feeds), given = Evaluator(after.graph()).run(feeds);
  float most = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::span<const float> a = wanted[i].data<float>(), b = given[i].data<float>();
    for (std::size_t j = 0; j < a.size(); ++j) most = std::max(most, std::abs(a[j] - b[j]));
  }
  return most;
}

}  // namespace

// Where every channel is constant and there is no padding the correction is exact, whatever the weights.
TEST_CASE("what rounding the weights adds on average is taken from the bias", "[quantize]") {
  for (const std::int64_t group : {1, 2, 4}) {
    for (const Granularity granularity : {Granularity::per_tensor, Granularity::per_channel}) {
      for (const bool has_bias : {true, false}) {
        Builder builder(13);
        Value& x = builder.input("x", DType::f32, {1, 4, 5, 5});
        Value& w = builder.constant(
            Tensor::of<float>({4, 4 / group, 3, 3}, random_floats(static_cast<std::size_t>(144 / group), 1)), "w");
        Value* const b = has_bias ? &builder.constant(Tensor::of<float>({4}, random_floats(4, 2)), "b") : nullptr;
        Value& y = builder.op("Conv", {&x, &w, b}, {{"group", group}});
        builder.output(y);
        const Model model = builder.build();
        const Feeds sample = flat(random_floats(4, 3), 5);
        const Pass quantize = quantize_weights(granularity, target);
        const Pass corrected =
            observe_channel_means(std::vector<Feeds>{sample}) | correct_biases(granularity, target) | quantize;
        CAPTURE(group, has_bias);
        CHECK(moved(model, corrected, sample) < 1e-5f);
        CHECK(moved(model, quantize, sample) > 1e-4f);
      }
    }
  }
}

// The activation is quantized without error: the product errs by its weight alone.
TEST_CASE("the bias of a MatMul is what is added to it", "[quantize]") {
  const std::string quantized =
      "x: f32[1,3,8]; w = f32[8,4] random; b = f32[4] random; s = f32[] 0.0078125; z = u8[] 128;"
      "d = DequantizeLinear(QuantizeLinear(x, s, z), s, z); ";
  std::vector<float> row;
  for (const float value : random_floats(8, 3)) row.push_back(std::round(value * 64) / 128);
  std::vector<float> rows = row;
  for (int i = 0; i < 2; ++i) rows.insert(rows.end(), row.begin(), row.end());
  const Feeds sample{{"x", Tensor::of<float>({1, 3, 8}, rows)}};
  const std::vector<Feeds> samples{sample};
  const Pass observe = observe_channel_means(samples), correct = correct_biases(Granularity::per_channel, target);
  Model several =
      graph(quantized + "y = Add(MatMul(d, w), b); t = Add(b, MatMul(d, w)); u = MatMul(d, w); return y, t, u");
  Context context;
  const Report report = (observe | observe_feature_moments(samples) | correct).run(several, context);
  CHECK(report.step("correct_biases")->changes == 2);
  Model before = graph(quantized + "y = Add(MatMul(d, w), b); return y");
  Model unobserved = before.clone();
  CHECK((observe | correct).run(unobserved).step("correct_biases")->changes == 0);
  const Pass quantize = quantize_weights(Granularity::per_channel, target);
  CHECK(moved(before, observe | observe_feature_moments(samples) | correct | quantize, sample) < 1e-5f);
  CHECK(moved(before, quantize, sample) > 1e-4f);
}

// A kernel gives its result quantized, for any reader.
TEST_CASE("the bias of a weight-only product behind an integer kernel stays as it is", "[quantize]") {
  for (const bool is_weight_only : {false, true}) {
    Model model = graph("x: f32[1,4]; w = f32[4,3] random; b = f32[3] random; y = Gemm(Sigmoid(x), w, b)");
    const std::vector<Feeds> samples{{{"x", Tensor::of<float>({1, 4}, random_floats(4, 3))}}};
    Context context;
    ProductForms& forms = context.facts.provide(ProductForms());
    if (is_weight_only) forms.choose("y", ProductForm::weight_only, "why");
    const Report report =
        (calibrate(samples) | observe_channel_means(samples) | observe_feature_moments(samples) |
         inject_qdq(target, Placement::all_supported) | correct_biases(Granularity::per_channel, target))
            .run(model, context);
    CHECK(first(model.graph(), "Gemm").input(0)->producer()->is("DequantizeLinear"));
    CHECK(report.step("correct_biases")->changes == (is_weight_only ? 0 : 1));
  }
}

TEST_CASE("a bias that others share stays theirs", "[quantize]") {
  Net net;
  Value& b = net.bias();
  Value& given = net.builder.input("given", DType::f32, {2});
  Value& first = net.op("Conv", {net.x, &net.weight("w1"), &b}, "first");
  Value& second = net.op("Add", {&first, &b}, "second");
  Value& third = net.op("Conv", {&first, &net.weight("w3"), &given}, "third");
  Model model = net.build({&second, &third});
  Feeds feeds = flat(std::vector<float>{1, 2}, 4);
  feeds.emplace_back("given", Tensor(DType::f32, {2}));
  Context context;
  const Report report =
      (observe_channel_means(std::vector<Feeds>{feeds}) | correct_biases(Granularity::per_tensor, target))
          .run(model, context);
  CHECK(report.changes == 1);
  CHECK(model.graph().find("b")->use_count() == 1);
  CHECK(node_making(model, "first").input(2)->is_constant());
  CHECK(node_making(model, "first").input(2) != model.graph().find("b"));
}

TEST_CASE("biases are not corrected without the means of their channels", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  CHECK_THROWS_WITH(correct_biases(Granularity::per_tensor, target).run(model),
                    Catch::Contains("needs channel-means") && Catch::Contains("run observe_channel_means first"));
  Context context;
  context.facts.provide(Statistics<ChannelMeans>());
  const Report report = correct_biases(Granularity::per_tensor, target).run(model, context);
  CHECK(report.changes == 0);
  REQUIRE(report.notes.size() == 1);
  CHECK_THAT(report.notes[0], Catch::EndsWith("keeps its bias: the means of its input are not known"));
}

TEST_CASE("a weight that is not finite is an error that names it, and leaves the model alone", "[quantize]") {
  Net net;
  Value& w = net.constant("w", {INFINITY, 1, 1, 1}, {2, 2, 1, 1});
  Model model = net.build({&net.op("Conv", {net.x, &w}, "y")});
  Context context;
  const Feeds feeds = flat(std::vector<float>{1, 2}, 4);
  observe_channel_means(std::vector<Feeds>{feeds}).run(model, context);
  CHECK_THROWS_WITH(correct_biases(Granularity::per_tensor, target).run(model, context),
                    Catch::Contains("w: has a value that is not finite"));
  CHECK(node_making(model, "y").input(2) == nullptr);
}
