#include <graft/quantize/tune/keep_fewest_in_float.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/tune/analyze.hpp>
#include <graft/simplify.hpp>
#include <graft/surgery/raise_opset.hpp>
#include <graft/testing/text.hpp>

#include "quantize/ruined.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"

using namespace graft;

namespace {

/// What the facts keep in float.
std::string names(const Context& context) {
  std::string text;
  for (const auto& [name, reason] : context.facts.value_or_default<KeptInFloat>().reasons) text += name + " ";
  return text;
}

struct Found {
  std::string names;
  Report report;
};

/// What is kept in float for this goal.
Found kept(const FidelityGoal& goal, LayerTrialOptions trials = {}, std::vector<NamePattern> before = {}) {
  Model model = identities();
  Context context;
  const Report report =
      (exclude_nodes(std::move(before)) | keep_fewest_in_float(goal, ruining(), ruined_sample, std::move(trials)))
          .run(model, context);
  Found found{"", report.steps[1]};
  found.names = names(context);
  return found;
}

}  // namespace

TEST_CASE("exactly the layer whose range is ruined stays in float", "[quantize]") {
  const FidelityGoal goals[]{{.agreement = 1}, {.cosine = 0.9999}, {.decibels = 30}};
  for (const FidelityGoal& goal : goals) {
    const Found found = kept(goal);
    CHECK(found.names == "z_node ");
    CHECK(found.report.changes == 1);
    REQUIRE(found.report.notes.size() == 2);
    CHECK(found.report.notes[0] == "'z_node' stays in float");
    CHECK_THAT(found.report.notes[1], Catch::StartsWith("the goal is reached with 1 of 3 layers in float, 3 of 4 "
                                                        "pairs left: agreement 1.0000, cosine "
                                                        "1.0000, inf dB; with none in float: "));
  }
}

TEST_CASE("the passes behind it make what was measured", "[quantize]") {
  Model model = identities();
  (keep_fewest_in_float({.agreement = 1}, ruining(), ruined_sample) | ruining()).run(model);
  CHECK(Evaluator(model.graph()).run(ruined_sample[0])[0].same_bytes(ruined_sample[0][0].second));
  CHECK(audit(model.graph(), targets::ort_cpu_x64).fused() == 2);
}

TEST_CASE("nothing stays in float where the goal is met without, and what did before still does", "[quantize]") {
  const Found found = kept({.cosine = 0.9});
  CHECK(found.names.empty());
  CHECK(found.report.changes == 0);
  CHECK_THAT(found.report.notes[0], Catch::StartsWith("the goal is reached with every layer quantized: "));
  CHECK(kept({.agreement = 1}, {}, {"y_node"}).names == "y_node z_node ");
}

TEST_CASE("a goal that is met only where nothing is quantized is not reached, and all stays in float", "[quantize]") {
  Model model = identities();
  Context context;
  const Report report = keep_fewest_in_float({.cosine = 1}, ruining_what_pays(), ruined_sample).run(model, context);
  CHECK(names(context) == "a_node y_node z_node ");
  CHECK_THAT(report.notes.back(), Catch::StartsWith("the goal is reached only where nothing is quantized any more: "));
  CHECK_FALSE(context.facts.find<GoalResult>()->met);
}

TEST_CASE("where nothing is quantized at all no goal is reached", "[quantize]") {
  Model model = identities();
  Context context;
  const Report report = keep_fewest_in_float({}, exclude_nodes({".*"}) | ruining(), ruined_sample).run(model, context);
  CHECK(report.notes == std::vector<std::string>{"nothing is quantized, whatever stays in float"});
  CHECK_FALSE(context.facts.find<GoalResult>()->met);
}

TEST_CASE("a caller sees that a goal was not met, and of how many nodes without a name that may be", "[quantize]") {
  Model model = identities();
  model.graph().rename(node_making(model, "z"), "");
  Context context;
  const Report report = keep_fewest_in_float({.agreement = 1}, ruining(), ruined_sample).run(model, context);
  CHECK_FALSE(context.facts.find<GoalResult>()->met);
  CHECK(context.facts.find<GoalResult>()->reached.agreement == 0);
  CHECK_THAT(report.notes.back(), Catch::StartsWith("1 quantized nodes without a name are not tried"));
}

TEST_CASE("a goal that cannot be reached is reported, and all candidates stay in float", "[quantize]") {
  const Found found = kept({.agreement = 1}, {{"[ya]_node"}});
  CHECK(found.names == "a_node y_node ");
  CHECK_THAT(found.report.notes.back(), Catch::StartsWith("the goal cannot be reached, not even with 2 of 2 layers in "
                                                          "float: agreement 0.0000"));
}

TEST_CASE("what was found is data, worded in one place", "[quantize]") {
  Model model = identities();
  Context context;
  const Report report = keep_fewest_in_float({.agreement = 1}, ruining(), ruined_sample).run(model, context);
  const GoalResult& found = *context.facts.find<GoalResult>();
  CHECK(found.met);
  CHECK(found.outcome == GoalOutcome::met);
  CHECK(found.in_float == std::vector<std::string>{"z_node"});
  CHECK(found.layers == 3);
  CHECK(found.pairs == 3);
  CHECK(found.pairs_with_none_in_float == 4);
  CHECK(found.trials >= 2);
  CHECK(report.notes.back() == to_string(found));
  CHECK(to_string(GoalResult()) == "nothing is quantized, whatever stays in float");
}

TEST_CASE("it needs what the passes need that it tries, and stops where it is cancelled", "[quantize]") {
  Model model = identities();
  const Pass quantize = inject_qdq(targets::ort_cpu_x64);
  CHECK_THROWS_WITH(keep_fewest_in_float({.agreement = 1}, quantize, ruined_sample).run(model),
                    Catch::Contains("needs ranges"));
  Context context;
  std::size_t told = 0;
  context.progress = [&](const Progress&) { ++told; };
  context.cancelled = [&] { return told == 1; };
  const Report report = keep_fewest_in_float({.agreement = 1}, ruining(), ruined_sample).run(model, context);
  CHECK(report.outcome == Outcome::cancelled);
  CHECK(report.notes.empty());
  CHECK(told == 1);
  CHECK(context.facts.find<KeptInFloat>() == nullptr);
}

TEST_CASE("products that are to be dynamic for a goal alone are static where it is met without", "[quantize]") {
  Model model = graph("x: f32[1,8]; y = MatMul(x, f32[8,8] random); z = MatMul(y, f32[8,8] random)");
  const std::vector<Feeds> samples{{{"x", Tensor::of<float>({1, 8}, {1, 2, 3, 4, -1, -2, -3, -4})}}};
  const Target& target = targets::ort_cpu_x64;
  const Pass quantize = inject_qdq(target, Placement::all_supported) | quantize_dynamic(target) |
                        quantize_weights(Granularity::per_channel, target);
  LayerTrialOptions trials;
  trials.forms = {ProductForm::dynamic};
  Context context;
  (calibrate(samples) | keep_fewest_in_float({.cosine = 0.5}, quantize, samples, trials) | quantize)
      .run(model, context);
  CHECK(context.facts.find<GoalResult>()->outcome == GoalOutcome::met_by_all);
  CHECK(count(model.graph(), "MatMulInteger") == 0);
  CHECK(count(model.graph(), "QuantizeLinear") == context.facts.find<GoalResult>()->pairs);
  trials.forms = {ProductForm::static_};
  CHECK_THROWS_WITH(keep_fewest_in_float({}, quantize, samples, trials), Catch::Contains("static"));
}

// Its second convolution is depthwise, with channels of very different weights.
TEST_CASE("of MobileNetV2 with one scale for each weight the second convolution is the first to stay in float",
          "[quantize][slow][data]") {
  TEST_DATA(file, "models/mobilenetv2.onnx");
  Model model = Model::load(file);
  if (model.graph().inputs()[0]->shape()[2] != Dim(224)) SKIP_TEST("its weights are made up");
  Tensor image(DType::f32, {1, 3, 224, 224});
  std::uint32_t at = 0;
  for (float& value : image.mutable_data<float>()) {
    const std::uint32_t row = at / 224 % 224, column = at % 224;
    value = static_cast<float>((row / 16 * 7 + column / 16 * 3 + at++ / 50176) % 23) / 6 - 2;
  }
  const std::vector<Feeds> sample{{{model.graph().inputs()[0], image}}};
  const Target& target = targets::ort_cpu_x64;
  const Pass quantize = inject_qdq(target) | quantize_weights(Granularity::per_tensor, target);
  const LayerTrialOptions trials{{"Conv_(4|37|74|162)"}};
  Context context;
  (raise_opset(13) | calibrate(sample) | analyze(quantize, sample, trials)).run(model, context);
  const LayerEffect worst = context.facts.find<Analysis>()->layers.at(0);
  CHECK(worst.node == "Conv_4");
  const FidelityGoal goal{.decibels = worst.in_float_alone->decibels};
  keep_fewest_in_float(goal, quantize, sample, trials).run(model, context);
  CHECK(names(context) == "Conv_4 ");
}
