#include <graft/quantize/calibrate/observe_statistics.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/testing/text.hpp>
#include "quantize/nets.hpp"

using namespace graft;

namespace {

std::vector<std::string> names(const std::vector<const Value*>& values) {
  std::vector<std::string> result;
  for (const Value* const value : values) result.emplace_back(value->name());
  return result;
}

/// x -> y -> Relu a -> z, and x -> v.
Model branches() {
  Net net;
  Value& a = net.op("Relu", {&net.conv(*net.x, "y")}, "a");
  return net.build({&net.conv(a, "z"), &net.conv(*net.x, "v")});
}

Feeds sample() {
  std::vector<float> values(32, 1);
  values[0] = -2;
  values[31] = 3;
  return {{"x", Tensor::of<float>({1, 2, 4, 4}, values)}};
}

}  // namespace

TEST_CASE("channels are observed around every Conv, each value once", "[quantize]") {
  const Model model = branches();
  CHECK(names(channel_inputs(model.graph())) == std::vector<std::string>{"x", "a"});
  CHECK(names(channel_values(model.graph())) == std::vector<std::string>{"x", "a", "y", "z", "v"});
}

TEST_CASE("an activation beside another reader is not observed", "[quantize]") {
  Net net;
  Value& y = net.conv(*net.x);
  const Model model = net.build({&net.op("Relu", {&y}, "a"), &net.op("Neg", {&y}, "b")});
  CHECK(names(channel_values(model.graph())) == std::vector<std::string>{"x", "y"});
}

TEST_CASE("what was observed of channels goes to the passes behind", "[quantize]") {
  Model model = branches();
  Context context;
  observe_channel_means(std::vector<Feeds>{sample()}).run(model, context);
  observe_channel_extremes(std::vector<Feeds>{sample(), sample()}).run(model, context);
  const auto* const means = context.facts.find<Statistics<ChannelMeans>>();
  REQUIRE(means != nullptr);
  CHECK(means->find("x")->means() == std::vector<double>{13.0 / 16, 18.0 / 16});
  CHECK(means->find("y") == nullptr);
  const auto* const extremes = context.facts.find<Statistics<ChannelExtremes>>();
  REQUIRE(extremes != nullptr);
  CHECK(extremes->find("x")->ranges() == std::vector<Range>{{-2, 1}, {1, 3}});
  CHECK(extremes->find("x")->count() == 32);
  CHECK(extremes->find("a")->range().min >= 0);
}

TEST_CASE("channels without a sample to observe are an error", "[quantize]") {
  Model model = branches();
  CHECK_THROWS_WITH(observe_channel_extremes(std::vector<Feeds>{}).run(model), Catch::Contains("there is no sample"));
}

namespace {

const std::string products =
    "x: f32[B,2]; w: f32[2,2]; p = MatMul(x, f32[2,2] 1); q = Gemm(p, f32[2,2] 1) {transB=1}; "
    "r = Gemm(q, f32[2,2] 1) {transA=1}; s = MatMul(r, w); y = Add(MatMul(p, f32[2] 1), s)";

}  // namespace

TEST_CASE("features are observed before each MatMul and Gemm by a constant matrix", "[quantize]") {
  const Model model = graph(products);
  std::vector<std::string> names;
  for (const Value* const value : feature_inputs(model.graph())) names.emplace_back(value->name());
  CHECK(names == std::vector<std::string>{"x", "p"});
}

TEST_CASE("moments of features go to the passes behind", "[quantize]") {
  Model model = graph("x: f32[1,S,2]; y = MatMul(x, f32[2,1] {1, 1})");
  Context context;
  observe_feature_moments(std::vector<Feeds>{{{"x", Tensor::of<float>({1, 2, 2}, {1, 2, 3, 4})}},
                                             {{"x", Tensor::of<float>({1, 1, 2}, {5, -9})}}})
      .run(model, context);
  const auto* const moments = context.facts.find<Statistics<FeatureMoments>>();
  REQUIRE(moments != nullptr);
  CHECK(moments->samples == 2);
  REQUIRE(moments->find("x") != nullptr);
  CHECK(moments->find("x")->mean(0) == 3);
  CHECK(moments->find("x")->features()[1].range == Range{-9, 4});
}

TEST_CASE("Gram matrices are of what products multiply by constants, each once", "[quantize]") {
  Model model = graph(
      "opset 13; w = f32[2,2] {1, 0, 0, 2}; x: f32[2,2]; a = MatMul(x, w); b = Gemm(x, w); "
      "c = MatMul(a, b); d = Gemm(c, w) {transA=1}; return d");
  std::vector<std::string> names;
  for (const Value* const value : product_inputs(model.graph())) names.emplace_back(value->name());
  CHECK(names == std::vector<std::string>{"x"});
  Context context;
  const std::vector<Feeds> samples{{{"x", Tensor::of<float>({2, 2}, {1, 2, 3, 4})}},
                                   {{"x", Tensor::of<float>({2, 2}, {1, 0, 0, 0})}}};
  observe_gram_matrices(samples).run(model, context);
  const auto* const found = context.facts.find<Statistics<GramMatrix>>();
  REQUIRE(found != nullptr);
  CHECK(found->samples == 2);
  CHECK(found->find("x")->sums() == std::vector<double>{11, 14, 14, 20});
}

TEST_CASE("histograms of every tensor are provided, over all samples", "[quantize]") {
  Model model = graph("x: f32[2]; y = Neg(x)");
  const auto sample = [](float a, float b) { return Feeds{{"x", Tensor::of<float>({2}, {a, b})}}; };
  Context context;
  std::size_t total = 0;
  context.progress = [&](const Progress& at) { total = at.total; };
  observe_histograms(std::vector<Feeds>{sample(1, 2), sample(3, 4)}).run(model, context);
  const auto& histograms = *context.facts.find<Statistics<Histogram>>();
  CHECK(histograms.samples == 2);
  CHECK(total == 2);
  CHECK(histograms.find("x")->range() == Range{1, 4});
  CHECK(histograms.find("x")->total() == 4);
  CHECK(histograms.find("y")->range() == Range{-4, -1});
}

TEST_CASE("nothing is provided of a run that is cancelled, and without a sample that is an error", "[quantize]") {
  Model model = graph("x: f32[2]; y = Neg(x)");
  Context context;
  CHECK_THROWS_WITH(observe_histograms(std::vector<Feeds>()).run(model, context),
                    Catch::Contains("there is no sample to calibrate on"));
  context.cancelled = [] { return true; };
  CHECK(observe_histograms(std::vector<Feeds>(1)).run(model, context).outcome == Outcome::cancelled);
  CHECK(context.facts.find<Statistics<Histogram>>() == nullptr);
}
