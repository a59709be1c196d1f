#include <graft/quantize/calibrate/observe_channels.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

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
