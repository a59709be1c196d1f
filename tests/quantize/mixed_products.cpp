// quantize() of nets with convolutions and products, of which some are static and others dynamic.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/verify.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/testing/random.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

/// Two convolutions, and behind them y, whose input has no scale in common, and z, whose input is that of a Sigmoid.
const std::string hybrid = R"(
    x: f32[1,16,32,32]; s: f32[]
    a = Relu(Conv(x, f32[16,16,3,3] random(-0.1, 0.1, 1)) {pads=[1,1,1,1]})
    h = Conv(a, f32[16,16,3,3] random(-0.1, 0.1, 2)) {pads=[1,1,1,1]}
    r = Reshape(h, i64[3] {1, 64, 256})
    y = MatMul(Div(r, s), f32[256,256] random(-1, 1, 3))
    z = MatMul(Sigmoid(r), f32[256,256] random(-1, 1, 4)))";

/// Every fourth is held out: of these too each other one is divided by a hundredth.
std::vector<Feeds> samples() {
  Random random(5);
  std::vector<Feeds> all;
  for (int i = 0; i < 16; ++i)
    all.push_back({{"x", random_tensor(DType::f32, {1, 16, 32, 32}, random, Interval{-1, 1})},
                   {"s", Tensor::scalar(i / 4 % 2 == 0 ? 1 : 0.01f)}});
  return all;
}

Fidelity reached(QuantizationMode mode) {
  Model model = graph(hybrid);
  return *quantize(model, samples(), targets::ort_cpu_x64, {.mode = std::move(mode)}).fidelity();
}

std::string forms(const QuantizeResult& result) {
  std::string text;
  for (const OperatorOutcome& one : result.outcomes)
    if (one.is_product)
      text += one.node + " " + (one.fused() ? "static" : std::string(to_string(one.form))) +
              (one.text.empty() ? "? " : ", ");
  return text;
}

}  // namespace

TEST_CASE("beside static convolutions the product that one scale ruins is dynamic, and no other", "[quantize]") {
  Model model = graph(hybrid);
  const QuantizeResult result = quantize(model, samples(), targets::ort_cpu_x64);
  CHECK(verify(model).empty());
  CHECK(forms(result) == "y dynamic, z static, ");
  CHECK(result.products == 1);
  CHECK(count(model.graph(), "MatMulInteger") == 1);
  CHECK(count(model.graph(), "DynamicQuantizeLinear") == 1);
  CHECK(result.audit.of("Conv").fused() == 2);
  CHECK(result.audit.of("MatMul").fused() == 1);
  CHECK(result.trials.front().name.find("dynamic products: 1") != std::string::npos);
  const double cosine = result.fidelity()->cosine;
  CHECK(cosine > 0.999);
  CHECK(cosine > reached(StaticOptions{.mix_forms = false, .search_runs = 0}).cosine + 0.01);
}

TEST_CASE("static products stay so where dynamic ones are no nearer to float", "[quantize]") {
  Model model = graph(hybrid);
  std::vector<Feeds> even = samples();
  for (Feeds& feeds : even) feeds[1].second = Tensor::scalar(1.0f);
  const QuantizeResult result = quantize(model, even, targets::ort_cpu_x64);
  CHECK(forms(result) == "y static, z static, ");
  CHECK(count(model.graph(), "MatMulInteger") == 0);
}

TEST_CASE("no product is dynamic where static quantization is asked for, or the target lacks the kernels",
          "[quantize]") {
  Model fixed = graph(hybrid), other = graph(hybrid);
  QuantizeOptions options;
  options.static_options().search_runs = 0;  // static quantization is poor here
  options.static_options().mix_forms = false;
  CHECK(forms(quantize(fixed, samples(), targets::ort_cpu_x64, options)) == "y static, z static, ");
  Target lacking = targets::ort_cpu_x64;
  lacking.dynamic_kernels = {};
  lacking.block_kernels = {};
  options.static_options().mix_forms = true;
  CHECK(forms(quantize(other, samples(), lacking, options)) == "y static, z static, ");
}

TEST_CASE("for a goal a product is dynamic before it is left in float", "[quantize]") {
  const auto run = [](bool mixes) {
    Model model = graph(hybrid);
    QuantizeOptions options = QuantizeOptions::fast();
    options.static_options().mix_forms = mixes;
    options.static_options().goal = FidelityGoal{.cosine = 0.999};
    return quantize(model, samples(), targets::ort_cpu_x64, options);
  };
  const QuantizeResult dynamic = run(true), fixed = run(false);
  REQUIRE(dynamic.goal);
  CHECK(dynamic.goal->met);
  CHECK(dynamic.goal->dynamic == std::vector<std::string>{"y"});
  CHECK(dynamic.goal->in_float.empty());
  CHECK(forms(dynamic) == "y dynamic, z static, ");
  CHECK(to_string(*dynamic.goal).find("1 dynamic") != std::string::npos);
  CHECK(fixed.goal->met);
  CHECK(fixed.goal->dynamic.empty());
  CHECK(forms(fixed) == "y float, z static, ");
}

namespace {

/// Two convolutions, a product behind them, and one of a single row: two results, each of half of the features, one
/// half of which is far above the other. No scale of the whole tensor serves both.
const std::string with_head = R"(
    x: f32[1,16,32,32]; f: f32[1024]
    a = Relu(Conv(x, f32[16,16,3,3] random(-0.1, 0.1, 1)) {pads=[1,1,1,1]})
    h = Conv(a, f32[16,16,3,3] random(-0.1, 0.1, 2)) {pads=[1,1,1,1]}
    z = MatMul(Sigmoid(Reshape(h, i64[3] {1, 64, 256})), f32[256,256] random(-1, 1, 4))
    g = Reshape(Slice(h, i64[1] 0, i64[1] 1, i64[1] 1), i64[2] {1, 1024})
    y = MatMul(Mul(g, f), f32[1024,256] 1)
    first, second = Split(y) {axis=1}
    return z, first, second)";

Model model_with_head() {
  Model model = graph(with_head);
  Random random(3);
  std::vector<float> weights = random_tensor(DType::f32, {1024, 256}, random, Interval{-1, 1}).to<float>();
  for (std::size_t i = 0; i < weights.size(); ++i)
    if ((i / 256 < 512) != (i % 256 < 128)) weights[i] = 0;
  Graph& main = model.graph();
  detail::rewire(*main.find("y")->producer(), 1, main.add_initializer(Tensor::of<float>({1024, 256}, weights), "head"));
  return model;
}

/// In some samples the first half is far above, in others the second one.
std::vector<Feeds> samples_with_head() {
  Random random(5);
  std::vector<Feeds> all;
  for (std::size_t i = 0; i < 16; ++i) {
    std::vector<float> factors(1024, 1);
    std::fill_n(factors.begin() + (i / 4 % 2 == 0 ? 0 : 512), 512, 100.0f);
    all.push_back({{"x", random_tensor(DType::f32, {1, 16, 32, 32}, random, Interval{-1, 1})},
                   {"f", Tensor::list<float>(factors)}});
  }
  return all;
}

}  // namespace

TEST_CASE("where neither static nor dynamic integers serve a product its weight alone is in integers", "[quantize]") {
  Model model = model_with_head();
  const QuantizeResult result = quantize(model, samples_with_head(), targets::ort_cpu_x64);
  CHECK(verify(model).empty());
  CHECK(forms(result) == "z static, y weight-only, ");
  CHECK(result.products == 1);
  CHECK(count(model.graph(), "com.microsoft::MatMulNBits") == 1);
  CHECK(result.audit.of("Conv").fused() == 2);
  CHECK(result.fidelity()->cosine > 0.99);
  const auto cosine_of = [](QuantizationMode mode) {
    Model copy = model_with_head();
    return quantize(copy, samples_with_head(), targets::ort_cpu_x64, {.mode = std::move(mode)}).fidelity()->cosine;
  };
  CHECK(cosine_of(StaticOptions{.mix_forms = false, .search_runs = 0}) < 0.98);
  CHECK(cosine_of(DynamicOptions{}) < 0.98);
}

TEST_CASE("for a goal a product is weight-only before it is left in float", "[quantize]") {
  Model model = model_with_head();
  QuantizeOptions options = QuantizeOptions::fast();
  options.static_options().goal = FidelityGoal{.cosine = 0.99};
  const QuantizeResult result = quantize(model, samples_with_head(), targets::ort_cpu_x64, options);
  REQUIRE(result.goal);
  CHECK(result.goal->met);
  CHECK(result.goal->weight_only == std::vector<std::string>{"y"});
  CHECK(result.goal->dynamic.empty());
  CHECK(result.goal->in_float.empty());
  CHECK(to_string(*result.goal).find("1 weight-only") != std::string::npos);
}

TEST_CASE("for a goal a product goes back to float that was weight-only before", "[quantize]") {
  const auto run = [](bool mixes) {
    Model model = model_with_head();
    QuantizeOptions options;
    options.static_options().mix_forms = mixes;
    options.static_options().goal = FidelityGoal{.cosine = 0.99998};
    return quantize(model, samples_with_head(), targets::ort_cpu_x64, options);
  };
  const QuantizeResult mixed = run(true);
  CHECK(mixed.trials.front().name.find("weight-only products: 1") != std::string::npos);
  CHECK(mixed.goal->outcome != GoalOutcome::not_met);
  CHECK(std::ranges::count(mixed.goal->in_float, "y") == 1);
  CHECK(forms(mixed).find("y float") != std::string::npos);
  CHECK(mixed.goal->layers == run(false).goal->layers);
}

TEST_CASE("trials in which products were dynamic and weight-only in vain count, too", "[quantize]") {
  const auto trials = [](bool mixes) {
    Model model = graph(hybrid);
    QuantizeOptions options = QuantizeOptions::fast();
    options.static_options().mix_forms = mixes;
    options.static_options().goal = FidelityGoal{.cosine = 2};
    const QuantizeResult result = quantize(model, samples(), targets::ort_cpu_x64, options);
    CHECK(result.goal->outcome == GoalOutcome::not_met);
    return result.goal->trials;
  };
  CHECK(trials(true) == 3 * trials(false));
}
