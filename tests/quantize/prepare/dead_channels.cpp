#include <graft/quantize/prepare/dead_channels.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/simplify/normalization.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

/// x -> Conv 1x1 y
Value& conv(Net& net, const std::vector<float>& weight, const std::vector<float>& bias) {
  return net.op("Conv", {net.x, &net.constant("w", weight, {2, 2, 1, 1}), &net.constant("b", bias, {2})}, "y");
}

/// Both channels alive, or the second one at 0.
Feeds sample(bool second_alive, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(32);
  for (std::size_t i = 0; i < 32; ++i) values[i] = i < 16 || second_alive ? uniform(random) : 0;
  return {{"x", Tensor::of<float>({1, 2, 4, 4}, values)}};
}

std::vector<Feeds> samples(bool second_alive) {
  std::vector<Feeds> result;
  for (unsigned seed = 0; seed < 10; ++seed) result.push_back(sample(second_alive, seed));
  return result;
}

Pass zero_dead(const std::vector<Feeds>& seen, const DeadChannels& when = {0, 100}) {
  return observe_channel_extremes(seen) | zero_dead_channels(when);
}

std::vector<float> values(const Model& model, const Feeds& feeds) {
  return Evaluator(model.graph()).run(feeds)[0].to<float>();
}

std::vector<float> constant(const Model& model, std::string_view result, std::size_t input) {
  return node_making(model, result).input(input)->constant()->to<float>();
}

float difference(const std::vector<float>& a, const std::vector<float>& b) {
  float most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace

TEST_CASE("a channel that Relu always stops gets no weights, and a bias that Relu stops", "[quantize]") {
  Net net;
  Value& y = conv(net, {1, 2, 300, 400}, {0.5f, -800});
  Model model = net.build({&net.op("Relu", {&y}, "z")});
  const std::vector<float> before = values(model, sample(true));
  const Report report = zero_dead(samples(true)).run(model);
  CHECK(report.changes == 1);
  CHECK(report.steps[1].notes == std::vector<std::string>{"'y_node': 1 of 2 channels are constant, and 0 that "
                                                          "it reads are 0; their weights are 0 now"});
  CHECK(constant(model, "y", 1) == std::vector<float>{1, 2, 0, 0});
  CHECK(constant(model, "y", 2) == std::vector<float>{0.5f, 0});
  CHECK(values(model, sample(true)) == before);
}

TEST_CASE("a channel that is constant keeps its value, where Clip holds it too", "[quantize]") {
  for (const float bias : {3.0f, 9.0f, -2.0f}) {
    Net net;
    Value& y = conv(net, {1, 0, 0, 5}, {0.5f, bias});
    Model model = net.build({&net.clip(y, 0, 6, "z")});
    const std::vector<float> before = values(model, sample(false));
    zero_dead(samples(false)).run(model);
    CHECK(constant(model, "y", 1) == std::vector<float>{1, 0, 0, 0});
    CHECK(constant(model, "y", 2) == std::vector<float>{0.5f, std::clamp(bias, 0.0f, 6.0f)});
    CHECK(values(model, sample(false)) == before);
  }
}

TEST_CASE("where an activation bends values, a constant is one of those in front of it", "[quantize]") {
  Net net(14);
  Value& y = conv(net, {1, 0, 2, 0}, {0, -8});
  Model model = net.build({&net.op("HardSwish", {&y}, "z")});
  const std::vector<float> before = values(model, sample(true));
  zero_dead(samples(true)).run(model);
  CHECK(constant(model, "y", 1) == std::vector<float>{1, 0, 0, 0});
  const float bias = constant(model, "y", 2)[1];
  CHECK(bias > -8);
  CHECK(bias < -3);  // from where on HardSwish is 0
  CHECK(values(model, sample(true)) == before);
}

TEST_CASE("the weights that read a channel of zeros go, across padding and in groups", "[quantize]") {
  for (const std::int64_t group : {1, 2}) {
    Net net;
    std::vector<float> weights(static_cast<std::size_t>(36 / group), 2);
    Value& w = net.constant("w", weights, {2, 2 / group, 3, 3});
    Value& y = net.op("Conv", {net.x, &w}, "y", {{"pads", Ints{1, 1, 1, 1}}, {"group", group}});
    Model model = net.build({&y});
    const std::vector<float> before = values(model, sample(false));
    CHECK(zero_dead(samples(false)).run(model).changes == 1);
    const std::vector<float> left = constant(model, "y", 1);
    for (std::size_t i = 0; i < left.size(); ++i) CHECK(left[i] == (i / 9 % 2 == 1 ? 0 : 2));
    CHECK(values(model, sample(false)) == before);
  }
}

TEST_CASE("a Gemm loses the columns of constant channels, and its beta is seen to", "[quantize]") {
  for (const std::int64_t transposed : {0, 1}) {
    Builder builder(13);
    Value& x = builder.input("x", DType::f32, {200, 2});
    const auto arranged = [&](float across, float down) { return std::vector<float>{1, across, down, -3}; };
    Value& w = builder.constant(Tensor::of<float>({2, 2}, transposed ? arranged(2, 3) : arranged(3, 2)), "w");
    Value& y = builder.op("Gemm", {&x, &w, &builder.constant(Tensor::of<float>({2}, {1, 1}), "b")},
                          {{"transB", transposed}, {"alpha", 2.0f}, {"beta", 0.5f}});
    builder.output(y);
    Model model = builder.build();
    std::vector<float> same(400);
    for (std::size_t i = 0; i < 400; ++i) same[i] = static_cast<float>(i / 2);
    const Feeds feeds{{"x", Tensor::of<float>({200, 2}, same)}};
    const std::vector<float> before = values(model, feeds);
    zero_dead({feeds}).run(model);
    const std::vector<float> left = ::first(model.graph(), "Gemm").input(1)->constant()->to<float>();
    CHECK(left == (transposed ? std::vector<float>{1, 2, 0, 0} : std::vector<float>{1, 0, 2, 0}));
    CHECK(values(model, feeds) == before);
  }
}

TEST_CASE("a channel is dead if so many of its values lie within so many roundings of its sum", "[quantize]") {
  const auto changes = [](const DeadChannels& when) {
    Net net;
    // The second channel adds 1 to values between -1 and 1, in steps of 2^-20.
    Value& y = conv(net, {1, 0, 0x1p-20f, 0}, {0, 1});
    Model model = net.build({&y});
    return zero_dead(samples(true), when).run(model).changes;
  };
  CHECK(changes({15, 160}) == 0);
  CHECK(changes({32, 160}) == 1);
  CHECK(changes({32, 161}) == 0);
}

TEST_CASE("a channel lives however small it is beside others", "[quantize]") {
  Net net;
  Value& y = conv(net, {9e4f, 0, 0, 0.1f}, {0, 0});
  Model model = net.build({&y});
  const std::vector<float> before = values(model, sample(true));
  CHECK(zero_dead(samples(true), {}).run(model).changes == 0);
  CHECK(zero_dead(samples(true), {32, 100}).run(model).changes == 0);
  CHECK(values(model, sample(true)) == before);
}

TEST_CASE("another reader beside the activation keeps a channel alive", "[quantize]") {
  Net net;
  Value& y = net.op("Conv", {net.x, &net.weight(), &net.constant("b", {0, -80}, {2})}, "y");
  Model model = net.build({&net.op("Relu", {&y}, "z"), &net.op("Neg", {&y}, "v")});
  CHECK(zero_dead(samples(true)).run(model).changes == 0);
}

TEST_CASE("dead channels are not looked for without observations", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  CHECK_THROWS_WITH(zero_dead_channels().run(model), Catch::Contains("run observe_channel_extremes first"));
}

// What a net suffers from whose second channel died in training: its variance is near 0, and folding it into the
// weights makes them huge.
TEST_CASE("a folded channel of no variance no longer ruins the others", "[quantize]") {
  Net net;
  Value& c = net.op("Conv", {net.x, &net.constant("w", {0.9f, 1e-4f, 1e-4f, 0.8f}, {2, 2, 1, 1})}, "c");
  Value& n = net.op("BatchNormalization",
                    {&c, &net.constant("scale", {1, 1}, {2}), &net.constant("shift", {0.1f, -0.2f}, {2}),
                     &net.constant("mean", {0, 0.6f}, {2}), &net.constant("variance", {1, 1e-12f}, {2})},
                    "n", {{"epsilon", 0.0f}});
  Model folded = net.build({&net.op("Relu", {&n}, "z")});
  fixpoint(bn_into_conv).run(folded);
  REQUIRE(ops(folded.graph()) == "Conv Relu");
  const auto error = [&](const Pass& before) {
    Model model(folded.commit());
    const Target& target = targets::ort_cpu_x64;
    (before | calibrate(samples(false)) | inject_qdq(target) | quantize_weights(Granularity::per_tensor, target))
        .run(model);
    return difference(values(folded, sample(false)), values(model, sample(false)));
  };
  CHECK(error(zero_dead(samples(false))) < 0.02f);
  CHECK(error(calibrate(samples(false))) > 0.5f);
}
