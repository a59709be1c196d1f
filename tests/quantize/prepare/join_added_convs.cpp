#include <graft/quantize/prepare/join_added_convs.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/lower/conv.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/bias_correction.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

constexpr const char* same_steps = "z = Add(Conv(x, w), Conv(y, v))";
constexpr const char* second_strides = "z = Add(Conv(x, w), Conv(y, v) {strides=[2,2]})";
constexpr const char* first_strides = "z = Add(Conv(y, v) {strides=[2,2]}, Conv(x, w))";

Model added(std::string_view sum) {
  const bool strides = sum.find("strides") != std::string_view::npos;
  return graph(std::string("x: f32[1,3,5,4]; y: f32[1,4,") + (strides ? "9,7" : "5,4") +
               "]; w = f32[8,3,1,1] random; v = f32[8,4,1,1] random; " + std::string(sum));
}

Pass join(const WeightForms& forms = Granularity::per_channel, const Target& target = targets::ort_cpu_x64) {
  return join_added_convs(forms, target);
}

/// Of x and y.
Context knowing(const Range& x, const Range& y) {
  Context context;
  context.facts.provide(Ranges{{"x", x}, {"y", y}});
  context.refusals = true;
  return context;
}

std::size_t count(const Model& model, std::string_view op) {
  return static_cast<std::size_t>(
      std::ranges::count_if(model.graph().nodes(), [&](const Node& node) { return node.is(op); }));
}

/// Why convolutions, called first and second, stay two; empty if they do not.
std::string refusal(const Pass& pass, Context context, const Pass& before = exclude_nodes({})) {
  Model model = added(same_steps);
  Node& sum = *model.graph().outputs()[0]->producer();
  model.graph().rename(sum, "sum");
  model.graph().rename(*sum.input(0)->producer(), "first");
  model.graph().rename(*sum.input(1)->producer(), "second");
  before.run(model, context);
  const Report report = pass.run(model, context);
  std::string why;
  for (const Refusal& refused : report.refusals)
    if (refused.rule == added_convs_to_conv.name()) why = refused.why;
  CHECK((count(model, "Conv") == 2) == !why.empty());
  return why;
}

}  // namespace

TEST_CASE("convolutions that are added become one where the target computes what that takes") {
  for (const char* const sum : {same_steps, second_strides, first_strides}) {
    Context context = knowing({-1, 2}, {-3, 1});
    Model model = added(sum);
    CHECK(join().run(model, context).changes == 1);
    CHECK(count(model, "Conv") == 1);
    CHECK(count(model, "MaxPool") == (sum == same_steps ? 0 : 1));
    const Ranges& ranges = *context.facts.find<Ranges>();
    const Node& concat = *model.graph().outputs()[0]->producer()->input(0)->producer();
    CHECK(ranges.at(concat.output(0)->name()) == Range{-3, 2});
    CHECK(ranges.at(concat.input(1)->name()) == Range{-3, 1});  // y's, pooled or not

    Model other = added(sum);
    CHECK(join(Granularity::per_tensor, targets::paper).run(other, context).changes == 0);
  }
}

TEST_CASE("they stay two where one scale does not serve what they read") {
  CHECK(refusal(join(), knowing({-1, 1}, {-1, 7})).empty());
  CHECK_THAT(refusal(join(), knowing({-1, 1}, {0, 8})), Catch::Contains("differ too much for one scale"));
  CHECK_THAT(refusal(join(), knowing({-4, 0}, {0, 1})), Catch::Contains("differ too much for one scale"));
  CHECK_THAT(refusal(join(), knowing({-9, 0}, {1, 2})), Catch::Contains("differ too much for one scale"));
  CHECK_THAT(refusal(join(), knowing({0, 0}, {0, 1})), Catch::Contains("differ too much for one scale"));
  CHECK_THAT(refusal(join(), knowing({}, {0, 1})), Catch::Contains("empty on all samples"));
  Target symmetric = targets::ort_cpu_x64;
  symmetric.zero_points = ZeroPoints::zero_either_sign;
  CHECK(refusal(join(Granularity::per_channel, symmetric), knowing({-1, 1}, {-1, 4})).empty());
  CHECK_THAT(refusal(join(Granularity::per_channel, symmetric), knowing({-1, 1}, {0, 5})),
             Catch::Contains("differ too much for one scale"));
  CHECK_THAT(refusal(join(Granularity::per_channel, symmetric), knowing({-4, 1}, {0, 1.5f})),
             Catch::Contains("differ too much for one scale"));
  Target is_signed = targets::ort_cpu_arm64;
  is_signed.zero_points = ZeroPoints::zero;
  CHECK(refusal(join(Granularity::per_channel, is_signed), knowing({-1, 1}, {0, 4})).empty());
  CHECK(refusal(join(Granularity::per_channel, is_signed), knowing({-4, 1}, {0, 1.5f})).empty());
  Context context = knowing({0, 1}, {0, 1});
  context.facts.edit<Ranges>()->erase("y");
  CHECK_THAT(refusal(join(), context), Catch::Contains("have no ranges"));
}

TEST_CASE("they stay two where one is wanted otherwise") {
  const Context context = knowing({-1, 1}, {-1, 1});
  for (const char* const node : {"first", "second", "sum"})
    CHECK_THAT(refusal(join(), context, exclude_nodes({node})), Catch::Contains("kept in float"));
  const WeightForm common = Granularity::per_channel;
  CHECK_THAT(refusal(join({common, {{"second", Granularity::per_tensor}}}), context),
             Catch::Contains("different forms"));
  CHECK(refusal(join({common, {{"first|second", Granularity::per_tensor}}}), context).empty());
  CHECK_THAT(refusal(join(), context, override_activations({{"x", DType::i8}})), Catch::Contains("different dtypes"));
  CHECK(refusal(join(), context, override_activations({{"x|y", DType::i8}})).empty());
  Model model = added("s = Conv(y, v); z = Add(Conv(x, w), s)");
  Context other = context;
  (override_activations({{"s", DType::i8}}) | join()).run(model, other);
  CHECK(count(model, "Conv") == 2);
}

TEST_CASE("facts about two tensors become facts about the joined tensor") {
  Context context = knowing({-1, 1}, {-1, 1});
  Model model = added(second_strides);
  Statistics<Histogram> histograms;
  const auto see = [&](std::string_view name, float value) {
    histograms.of(name).add(Tensor::of<float>({2}, {-1, value}), {-1, value});
  };
  see("x", 0.5F);
  see("y", 1);
  context.facts.provide(std::move(histograms));
  Statistics<ChannelMeans> means;
  means.of("x").add(Tensor::of<float>({1, 3, 1, 2}, {0, 2, 2, 4, 4, 6}), {0, 6});
  means.of("y").add(Tensor::of<float>({1, 4, 1, 1}, {7, 8, 9, 10}), {7, 10});
  context.facts.provide(std::move(means));
  (override_activations({{"x|y", DType::i8}}) | join()).run(model, context);
  const Value& both = *model.graph().outputs()[0]->producer()->input(0);
  const Histogram* const seen = context.facts.find<Statistics<Histogram>>()->find(both.name());
  REQUIRE(seen != nullptr);
  CHECK(seen->total() == 4);
  CHECK(seen->range() == Range{-1, 1});
  REQUIRE(context.facts.find<Statistics<ChannelMeans>>()->find(both.name()) != nullptr);
  CHECK(context.facts.find<Statistics<ChannelMeans>>()->find(both.name())->means() ==
        std::vector<double>{1, 3, 5, 7, 8, 9, 10});
  CHECK(context.facts.find<ActivationDTypes>()->own(both) == DType::i8);
}

TEST_CASE("a body, whose tensors have no ranges, keeps its convolutions") {
  Model model = graph(
      "c: bool[]; x: f32[1,3,5,4]; w = f32[8,3,1,1] random; v = f32[8,3,1,1] random; a = Abs(x); "
      "z = If(c) {then_branch={ p = Add(Conv(x, w), Conv(a, v)); return p }, "
      "else_branch={ q = Conv(x, w); return q }}");
  Context context;
  context.refusals = true;
  context.facts.provide(Ranges{{"x", {0, 1}}, {"a", {0, 1}}});
  const Report report = join().run(model, context);
  CHECK(report.changes == 0);
  REQUIRE(!report.refusals.empty());
  CHECK_THAT(report.refusals[0].why, Catch::Contains("the main graph"));
}

TEST_CASE("what was joined is quantized with the scale of both, and comes near to float") {
  for (const char* const sum : {same_steps, second_strides, first_strides}) {
    Model model = added(sum);
    const Graph& in_float = model.graph();
    const auto fill = [](const Dims& dims, float most) {
      std::vector<float> values(static_cast<std::size_t>(dims[1] * dims[2] * dims[3]));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = most * static_cast<float>(i * 37 % 101) / 101;
      return Tensor::of<float>(dims, values);
    };
    const Feeds feeds{{"x", fill({1, 3, 5, 4}, 1)},
                      {"y", fill({1, 4, sum == same_steps ? 5 : 9, sum == same_steps ? 4 : 7}, 2)}};
    const std::vector<Feeds> samples{feeds};
    const Tensor expected = Evaluator(in_float).run(feeds)[0];
    Context context;
    (calibrate(samples) | join() | inject_qdq(targets::ort_cpu_x64, Placement::all_supported) |
     quantize_weights(Granularity::per_channel, targets::ort_cpu_x64))
        .run(model, context);
    CHECK(count(model, "Conv") == 1);
    const Tensor result = Evaluator(model.graph()).run(feeds)[0];
    for (std::size_t i = 0; i < expected.data<float>().size(); ++i)
      CHECK(result.data<float>()[i] == Approx(expected.data<float>()[i]).margin(0.1));
  }
}

TEST_CASE("ranges of an earlier run under the names of new tensors do not count") {
  Ranges known;
  for (const float most : {1.0F, 100.0F}) {
    for (const char* const name : {"x", "y"}) known.set(name, {-most, most});
    Context context;
    context.facts.provide(known);
    Model model = added(second_strides);
    join().run(model, context);
    const Value& both = *model.graph().outputs()[0]->producer()->input(0);
    CHECK(context.facts.find<Ranges>()->at(both.name()) == Range{-most, most});
    known = *context.facts.find<Ranges>();
  }
}

TEST_CASE("sums of sums and sums that share an input are joined, and other tensors get no facts") {
  Model model = graph(
      "x: f32[1,2,4,4]; y: f32[1,3,4,4]; u: f32[1,1,4,4]; w = f32[8,2,1,1] random; "
      "v = f32[8,3,1,1] random; t = f32[8,1,1,1] random; "
      "z = Add(Add(Conv(x, w), Conv(y, v)), Conv(u, t)); r = Add(Conv(y, v), Conv(u, t)); "
      "p = MaxPool(y) {kernel_shape=[1,1]}; k = Concat(x, y, u) {axis=1}; return z, r, p, k");
  Context context;
  context.facts.provide(Ranges{{"x", {0, 1}}, {"y", {0, 2}}, {"u", {0, 3}}});
  CHECK(join().run(model, context).changes == 3);
  CHECK(count(model, "Conv") == 2);
  CHECK(count(model, "Add") == 0);
  const Ranges& ranges = *context.facts.find<Ranges>();
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(ranges.at(model.graph().output(i)->producer()->input(0)->name()) == Range{0, 3});
  CHECK(ranges.find("k") == nullptr);
  CHECK(ranges.find("p") == nullptr);
}

TEST_CASE("biases of what was joined are corrected by the means of both inputs") {
  for (const char* const sum : {same_steps, second_strides}) {
    Model model = added(sum);
    const int height = sum == same_steps ? 5 : 9, width = sum == same_steps ? 4 : 7;
    const std::vector<Feeds> samples{
        {{"x", Tensor::of<float>({1, 3, 5, 4}, std::vector<float>(60, 1))},
         {"y", Tensor::of<float>({1, 4, height, width},
                                 std::vector<float>(static_cast<std::size_t>(4 * height * width), 2))}}};
    Context context;
    const WeightForms rough = WeightForm{Granularity::per_tensor, 3};
    const Tensor expected = Evaluator(model.graph()).run(samples[0])[0];
    const Report report = (calibrate(samples) | observe_channel_means(samples) | join(rough) |
                           inject_qdq(targets::ort_cpu_x64, Placement::all_supported) |
                           correct_biases(rough, targets::ort_cpu_x64) | quantize_weights(rough, targets::ort_cpu_x64))
                              .run(model, context);
    CHECK(report.steps[4].changes == 1);
    const Tensor result = Evaluator(model.graph()).run(samples[0])[0];
    for (std::size_t i = 0; i < expected.data<float>().size(); ++i)
      CHECK(result.data<float>()[i] == Approx(expected.data<float>()[i]).margin(0.05));
  }
}
