#include <graft/quantize/commute_deferred.hpp>

#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include <graft/quantize/activation.hpp>
#include <graft/quantize/targets.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/explain.hpp>

#include "nets.hpp"

using namespace graft;

namespace {

/// Conv -> pair -> activation -> pair, the last with these q-params.
Model chain(std::string_view activation, const QParams& behind, const Attributes& attributes = {}) {
  Net net(14);
  Value& y = net.conv(*net.x);
  Value& a = net.op(activation, {&y}, "a", attributes);
  Model model = net.build({&a});
  insert_qdq(y, {0.1f, 128, DType::u8}, true);
  insert_qdq(a, behind, true);
  return model;
}

Report commute_for(Model& model, const Target& runtime) {
  return pass("commute", sweep(commute::past_deferred), commute::target = runtime).run(model);
}

constexpr std::string_view moved = "Conv Relu QuantizeLinear DequantizeLinear";

}  // namespace

TEST_CASE("the pair in front of a fused activation goes", "[quantize]") {
  Model model = chain("Relu", {0.05f, 0, DType::u8});
  CHECK(commute_for(model, targets::ort_cpu_x64).changes == 1);
  CHECK(ops(model.graph()) == moved);
  CHECK(model.graph().output(0)->name() == "a");
  CHECK(qparams_of(*model.graph().last_node()) == QParams{0.05f, 0, DType::u8});
  CHECK(model.graph().initializers().size() == 4);  // weight, bias, scale and zero point
}

TEST_CASE("the activation keeps its attributes and its further inputs", "[quantize]") {
  Model leaky = chain("LeakyRelu", {0.05f, 10, DType::u8}, {{"alpha", 0.3f}});
  CHECK(commute_for(leaky, targets::paper).changes == 1);
  CHECK(first(leaky.graph(), "LeakyRelu").attr<float>("alpha") == 0.3f);

  Net net;
  Value& y = net.conv(*net.x);
  Value& a = net.clip(y, 0, 6, "a");
  Model model = net.build({&a});
  insert_qdq(y, {0.1f, 128, DType::u8}, true);
  insert_qdq(a, {6.0f / 255, 0, DType::u8}, true);
  CHECK(commute_for(model, targets::ort_cpu_x64).changes == 1);
  CHECK(first(model.graph(), "Clip").input(2)->name() == "a_max");
}

TEST_CASE("a pair stays where the target does not defer the activation", "[quantize]") {
  Model shifted = chain("Relu", {0.05f, 3, DType::u8});
  CHECK(commute_for(shifted, targets::ort_cpu_x64).changes == 0);
  CHECK(commute_for(shifted, targets::onednn).changes == 1);
  Model sigmoid = chain("Sigmoid", {0.004f, 0, DType::u8});
  CHECK(commute_for(sigmoid, targets::ort_cpu_x64).changes == 0);
}

TEST_CASE("a pair stays behind what the target does not compute in integers", "[quantize]") {
  Net net;
  Value& sum = net.op("Add", {net.x, net.x}, "sum");
  Value& a = net.op("Relu", {&sum}, "a");
  Model model = net.build({&a});
  insert_qdq(sum, {0.1f, 128, DType::u8}, true);
  insert_qdq(a, {0.05f, 0, DType::u8}, true);
  CHECK(commute_for(model, targets::ort_cpu_x64).changes == 0);
}

TEST_CASE("a pair stays that someone else reads, or that is two scales", "[quantize]") {
  {
    Net net;
    Value& y = net.conv(*net.x);
    Value& a = net.op("Relu", {&y}, "a");
    Model model = net.build({&a, &net.op("Neg", {&y}, "b")});
    insert_qdq(y, {0.1f, 128, DType::u8}, true);
    insert_qdq(a, {0.05f, 0, DType::u8}, true);
    CHECK(commute_for(model, targets::ort_cpu_x64).changes == 0);
  }
  Model model = chain("Relu", {0.05f, 0, DType::u8});
  Node& inner = *first(model.graph(), "Relu").input(0)->producer();
  REQUIRE(model.graph().set_input(inner, 1, &model.graph().add_initializer(Tensor::scalar(0.2f), "other_scale")));
  CHECK(commute_for(model, targets::ort_cpu_x64).changes == 0);
}

TEST_CASE("why a pair stays is explained", "[quantize]") {
  Model model = chain("Relu", {0.05f, 3, DType::u8});
  Context context;
  context.refusals = true;
  const Report report =
      pass("commute", sweep(commute::past_deferred), commute::target = targets::ort_cpu_x64).run(model, context);
  bool found = false;
  for (const Refusal& refusal : report.refusals)
    found = found || refusal.why.find("what Q can represent reaches beyond its bounds") != std::string::npos;
  CHECK(found);
}

TEST_CASE("no value of its range moves further than the bound, and some move as far", "[quantize]") {
  const auto quantized = [](double x, const QParams& q) {
    return std::clamp(detail::round_half_even(x / q.scale) + q.zero_point, double(q.lowest()), double(q.highest()));
  };
  const auto relu = [](double x) { return std::fmax(x, 0); };
  const auto leaky = [](double x) { return x < 0 ? 0.01 * x : x; };
  const auto hard_swish = [](double x) { return x * std::fmin(std::fmax(x / 6 + 0.5, 0), 1); };
  const auto clip = [](double x) { return std::fmin(std::fmax(x, 0), 6); };
  std::mt19937 random(8);
  std::uniform_real_distribution<float> size(0.5f, 12);
  const auto check = [&](const auto& f, std::string_view op) {
    const auto entry =
        std::find_if(known_activations.begin(), known_activations.end(), [&](const auto& a) { return a.op == op; });
    double closest = 1e9;
    for (int i = 0; i < 200; ++i) {
      const Range range{-size(random), size(random)};
      const QParams before = choose_qparams(range, DType::u8);
      const QParams behind = choose_qparams({static_cast<float>(f(-1.5)), static_cast<float>(f(range.max))}, DType::u8);
      const double bound = commute::moved_steps(static_cast<double>(entry->slope) * before.scale / 2, behind);
      double most = 0;
      for (double x = before.range().min; x <= before.range().max; x += before.scale / 37) {
        const double passed = (quantized(x, before) - before.zero_point) * before.scale;
        most = std::fmax(most, std::abs(quantized(f(x), behind) - quantized(f(passed), behind)));
      }
      REQUIRE(most <= bound);
      closest = std::fmin(closest, bound - most);
    }
    CHECK(closest == 0);
  };
  check(relu, "Relu");
  check(leaky, "LeakyRelu");
  check(hard_swish, "HardSwish");
  check(clip, "Clip");
}
