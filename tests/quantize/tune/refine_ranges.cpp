#include <graft/quantize/tune/refine_ranges.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/evaluate/thread_pool.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/tune/analyze.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

constexpr Target target = targets::ort_cpu_x64;
constexpr RangeRefinement everywhere{.placement = Placement::all_supported, .sweeps = 3};

/// Three layers of random weights; rare outliers in what the first gives matter little to what the last makes.
Model net() {
  return graph(
      "x: f32[1,4,8,8]; w = f32[8,4,3,3] random; v = f32[8,8,3,3] random; u = f32[4,8,1,1] random; "
      "a = Conv(x, w) {pads=[1,1,1,1]}; r = Relu(a); b = Conv(r, v) {pads=[1,1,1,1]}; s = Relu(b); y = Conv(s, u)");
}

std::vector<Feeds> samples(std::size_t count, std::uint32_t seed = 7) {
  std::mt19937 random(seed);
  std::vector<Feeds> all;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<float> values(256);
    for (float& value : values) value = static_cast<float>(random() % 2001) / 1000 - 1;
    all.push_back({{"x", Tensor::of<float>({1, 4, 8, 8}, values)}});
  }
  return all;
}

Ranges calibrated(Model& model) {
  Context context;
  calibrate(samples(12)).run(model, context);
  return *context.facts.find<Ranges>();
}

struct Refined {
  Ranges ranges;
  RefinedRanges found;
};

Refined refined(Model& model, const Ranges& ranges, const RangeRefinement& refinement = everywhere,
                const ExecutorFactory& make_executor = {}) {
  Context context;
  context.facts.provide(ranges);
  const std::string before = model.serialize();
  refine_ranges(samples(12), target, refinement, make_executor).run(model, context);
  CHECK(model.serialize() == before);
  return {*context.facts.find<Ranges>(), *context.facts.find<RefinedRanges>()};
}

/// Of the outputs on samples that were not seen.
double decibels(Model& model, const Ranges& ranges) {
  Model quantized = model.clone();
  inject_qdq(ranges, target, Placement::all_supported).run(quantized);
  return analyze(model.graph(), quantized.graph(), samples(20, 99)).outputs.decibels;
}

}  // namespace

TEST_CASE("a range that is far too wide, and one that is far too narrow, are mended", "[quantize]") {
  Model model = net();
  const Ranges good = calibrated(model);
  for (const auto& [tensor, factor] : {std::pair("r", 16.f), std::pair("r", 0.5f), std::pair("x", 0.6f)}) {
    INFO(tensor << " " << factor);
    Ranges ruined = good;
    const Range range = good.at(tensor);
    ruined.set(tensor, {range.min * factor, range.max * factor});
    const RangeRefinement refinement{.placement = Placement::all_supported, .sweeps = 4, .min_factor = 0.01};
    const Refined result = refined(model, ruined, refinement);
    CHECK(result.found.noise_after < result.found.noise_before / 2);
    CHECK(result.found.unseen_after < result.found.unseen_before / 2);
    CHECK(decibels(model, result.ranges) > decibels(model, ruined) + 3);
    CHECK(result.ranges.at(tensor).max / range.max == Approx(1).margin(0.4));
  }
}

TEST_CASE("nothing changes where no range brings the outputs nearer", "[quantize]") {
  Net identity;
  Model model =
      identity.build({&identity.op("Conv", {identity.x, &identity.constant("w", {1, 0, 0, 1}, {2, 2, 1, 1})}, "y")});
  Context context;
  context.facts.provide(Ranges{{"x", {-2, 2 - 1 / 64.f}}, {"y", {-2, 2 - 1 / 64.f}}});
  const std::vector<Feeds> exact(4, Feeds{{"x", Tensor::of<float>({1, 2, 4, 4}, std::vector<float>(32, 0.75f))}});
  const Report report = refine_ranges(exact, target, everywhere).run(model, context);
  CHECK(report.changes == 0);
  CHECK(context.facts.find<RefinedRanges>()->tensors == 2);
  CHECK(context.facts.find<RefinedRanges>()->noise_before == 0);
  CHECK(context.facts.find<Ranges>()->at("x") == Range{-2, 2 - 1 / 64.f});
  CHECK_THAT(report.notes.back(), Catch::StartsWith("0 of 2 ranges are changed"));
}

TEST_CASE("refined ranges do not depend on threads", "[quantize]") {
  Model model = net();
  Ranges ranges = calibrated(model);
  ranges.set("r", {0, ranges.at("r").max * 8});
  const Refined first = refined(model, ranges);
  CHECK_FALSE(first.found.changed.empty());
  ThreadPool pool(2);
  const auto on_threads = [&pool](const Graph& graph) { return Evaluator(graph, std::ref(pool)); };
  CHECK(refined(model, ranges, everywhere, on_threads).ranges == first.ranges);
}

TEST_CASE("what is quantized, and what fuses, stays as it was", "[quantize]") {
  Model model = graph(
      "x: f32[1,4,8,8]; w = f32[8,4,3,3] random; v = f32[4,8,1,1] random; p = Clip(Conv(x, w), f32[] 0, f32[] 1.5); "
      "m = MaxPool(p) {kernel_shape=[2,2], strides=[2,2]}; c = Conv(m, v); r = Relu(c); "
      "y = Concat(r, r) {axis=1}");
  const Ranges before = calibrated(model);
  const Refined result = refined(model, before);
  const auto quantized = [&](const Ranges& ranges) {
    Model copy = model.clone();
    inject_qdq(ranges, target, Placement::all_supported).run(copy);
    return copy;
  };
  const Model old = quantized(before), changed = quantized(result.ranges);
  CHECK(ops(changed.graph()) == ops(old.graph()));
  for (const Node& node : changed.graph().nodes()) {
    const std::optional<QParams> q = is_quantize(node) ? qparams_of(node) : std::nullopt;
    if (q && node.input(0)->name() == "p") CHECK(q->range().within({0, 1.5f}));
    if (q && node.input(0)->name() == "r") CHECK(q->zero_point == 0);
  }
}

TEST_CASE("refining needs ranges, samples and a step, and stops where it is cancelled", "[quantize]") {
  Model model = net();
  CHECK_THROWS_WITH(refine_ranges(samples(3), target).run(model), Catch::Contains("needs ranges"));
  Context context;
  context.facts.provide(calibrated(model));
  CHECK_THROWS_WITH(refine_ranges(std::vector<Feeds>(), target).run(model, context), Catch::Contains("no sample"));
  CHECK_THROWS_WITH(refine_ranges(samples(3), target, {.step = 1}), Catch::Contains("greater than 1"));
  const Ranges before = *context.facts.find<Ranges>();
  context.cancelled = [told = 0]() mutable { return ++told > 20; };
  const Report report = refine_ranges(samples(12), target, everywhere).run(model, context);
  CHECK(report.outcome == Outcome::cancelled);
  CHECK(*context.facts.find<Ranges>() == before);
  CHECK(context.facts.find<RefinedRanges>() == nullptr);
}

TEST_CASE("an operator that is quantized nowhere leaves nothing to refine", "[quantize]") {
  Model model = graph("x: f32[4]; y = Exp(x)");
  Context context;
  context.facts.provide(Ranges{{"x", {-1, 1}}, {"y", {0, 3}}});
  const std::vector<Feeds> some(3, Feeds{{"x", Tensor::of<float>({4}, {1, 0, -1, 0.5f})}});
  CHECK(refine_ranges(some, target).run(model, context).notes.back() ==
        "0 of 0 ranges are changed: noise in the outputs 0, before 0");
}
