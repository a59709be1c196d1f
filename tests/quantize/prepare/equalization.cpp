#include <graft/quantize/prepare/equalization.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/prepare/detail/equalized_layer.hpp>
#include <graft/quantize/tune/nearest_ranges.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/equivalent.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

std::vector<float> random_floats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random) * std::ldexp(1.0f, static_cast<int>(random() % 8) - 4);
  return values;
}

std::vector<float> constant(const Model& model, std::string_view result, std::size_t input) {
  return node_making(model, result).input(input)->constant()->to<float>();
}

/// x -> Conv y -> between -> Conv z, with channels that weigh 1 and 4, and are read with 16 and 1.
struct Two : Net {
  Value& y = op("Conv", {x, &constant("w1", {1, -0.5f, 4, 0}, {2, 2, 1, 1}), &constant("b1", {2, -3}, {2})}, "y");

  Model then(Value& between) {
    Value& w2 = constant("w2", {8, 1, -16, 0.5f}, {2, 2, 1, 1});
    return build({&op("Conv", {&between, &w2, &constant("b2", {1, 1}, {2})}, "z")});
  }
};

void stays(Model model, const Pass& pass = equalize_weights()) {
  pass.run(model);
  CHECK(constant(model, "y", 1) == std::vector<float>{1, -0.5f, 4, 0});
  CHECK(constant(model, "z", 1) == std::vector<float>{8, 1, -16, 0.5f});
}

Feeds feeds(float largest) {
  std::vector<float> values(32, 0.5f);
  values[3] = largest;
  return {{"x", Tensor::of<float>({1, 2, 4, 4}, values)}};
}

}  // namespace

TEST_CASE("a chain that was evened out stays as it is", "[quantize]") {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Net net;
    Value* value = net.x;
    for (unsigned layer = 0; layer < 4; ++layer) {
      Value& weight = net.constant("w" + std::to_string(layer), random_floats(4, 10 * seed + layer), {2, 2, 1, 1});
      value = &net.op("Conv", {value, &weight}, "y" + std::to_string(layer));
    }
    Model model = net.build({value});
    CHECK(equalize_weights().run(model).changes == 3);
    const std::string once = model.serialize();
    CHECK(equalize_weights().run(model).changes == 0);
    CHECK(model.serialize() == once);
  }
}

TEST_CASE("two layers weigh each channel between them alike", "[quantize]") {
  Two net;
  Model model = net.then(net.op("Relu", {&net.y}, "a"));
  const Model before(model.proto());
  const Report report = equalize_weights().run(model);
  CHECK(report.changes == 1);
  CHECK(report.notes == std::vector<std::string>{"'y_node' and 'z_node': 2 channels between them are rescaled"});
  // s = sqrt(1 / 16) and sqrt(4 / 1)
  CHECK(constant(model, "y", 1) == std::vector<float>{4, -2, 2, 0});
  CHECK(constant(model, "y", 2) == std::vector<float>{8, -1.5f});
  CHECK(constant(model, "z", 1) == std::vector<float>{2, 2, -4, 1});
  CHECK(constant(model, "z", 2) == std::vector<float>{1, 1});
  const TestResult same = equivalent(before.graph(), model.graph());
  INFO(same.message());
  CHECK(same);
  CHECK(equalize_weights().run(model).changes == 0);
}

TEST_CASE("chains of any kinds compute what they did", "[quantize]") {
  for (const std::string kind : {"Relu", "LeakyRelu", "PRelu", "MaxPool", "AveragePool", "Identity", ""}) {
    Builder builder(13);
    Value& x = builder.input("x", DType::f32, {2, 3, 8, 8});
    const auto random = [&](const Dims& dims, unsigned seed) {
      std::size_t size = 1;
      for (const std::int64_t dim : dims) size *= static_cast<std::size_t>(dim);
      return &builder.constant(Tensor::of<float>(dims, random_floats(size, seed)), "c");
    };
    const auto conv = [&](Value& input, const Dims& dims, std::int64_t group, unsigned seed,
                          bool has_bias = true) -> Value& {
      return builder.op("Conv", {&input, random(dims, seed), has_bias ? random({dims[0]}, seed + 1) : nullptr},
                        {{"group", group}, {"pads", Ints{1, 1, 1, 1}}});
    };
    const auto between = [&](Value& value) -> Value& {
      if (kind.empty()) return value;
      if (kind == "PRelu") return builder.op(kind, {&value, random({6, 1, 1}, 9)});
      if (kind.find("Pool") != std::string::npos) return builder.op(kind, {&value}, {{"kernel_shape", Ints{2, 2}}});
      return builder.op(kind, {&value});
    };
    Value& first = between(conv(x, {6, 3, 3, 3}, 1, 1));
    Value& depthwise = between(conv(first, {6, 1, 3, 3}, 6, 2, false));
    Value& grouped = between(conv(depthwise, {6, 3, 3, 3}, 2, 3));
    Value& last = conv(grouped, {2, 6, 3, 3}, 1, 4);
    builder.output(last);
    Model model = builder.build();
    const Model before(model.proto());
    CAPTURE(kind);
    CHECK(equalize_weights().run(model).changes == 3);
    const TestResult same = equivalent(before.graph(), model.graph());
    INFO(same.message());
    CHECK(same);

    // What the method ends at: each channel is made and read by weights of one magnitude.
    std::vector<detail::EqualizedLayer> layers;
    for (Node& node : model.graph().nodes())
      if (node.is("Conv")) layers.push_back(*detail::EqualizedLayer::of(node));
    for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
      const std::vector<double> made = layers[i].output_magnitudes(), read = layers[i + 1].input_magnitudes();
      for (std::size_t c = 0; c < made.size(); ++c) CHECK(made[c] == Approx(read[c]).epsilon(0.01));
    }
  }
}

TEST_CASE("Gemms are equalized, transposed or not", "[quantize]") {
  for (const std::int64_t transposed : {0, 1}) {
    Builder builder(13);
    Value& x = builder.input("x", DType::f32, {4, 3});
    const auto gemm = [&](Value& input, std::int64_t in, std::int64_t out, unsigned seed) -> Value& {
      const auto random = [&](const Dims& dims, std::int64_t size) {
        return Tensor::of<float>(dims, random_floats(static_cast<std::size_t>(size), seed));
      };
      Value& w = builder.constant(random(transposed ? Dims{out, in} : Dims{in, out}, in * out), "w");
      Value& b = builder.constant(random({out}, out), "b");
      return builder.op("Gemm", {&input, &w, &b}, {{"transB", transposed}, {"alpha", 0.5f}, {"beta", 2.0f}});
    };
    builder.output(gemm(builder.op("Relu", {&gemm(x, 3, 5, 1)}), 5, 2, 3));
    Model model = builder.build();
    const Model before(model.proto());
    CHECK(equalize_weights().run(model).changes == 1);
    const TestResult same = equivalent(before.graph(), model.graph());
    INFO(same.message());
    CHECK(same);
  }
}

TEST_CASE("what does not scale, or others read, keeps two layers as they are", "[quantize]") {
  for (const char* const other : {"Sigmoid", "HardSwish", "Tanh"}) {
    Two net;
    stays(net.then(net.op(other, {&net.y}, "a")));
  }
  {
    Two net;
    Value& a = net.op("Relu", {&net.y}, "a");
    net.builder.output(a);
    stays(net.then(a));
  }
  {
    Two net;
    net.builder.output(net.op("Neg", {&net.y}, "v"));
    stays(net.then(net.op("Relu", {&net.y}, "a")));
  }
  {
    Two net;
    stays(net.then(net.op("Add", {&net.y, net.x}, "a")));
  }
  {
    Two net;  // a Clip from elsewhere than 0 does not even scale where it does not reach
    stays(net.then(net.clip(net.y, -1, 6, "a")),
          observe_channel_extremes(std::vector<Feeds>{feeds(1)}) | equalize_weights());
  }
}

TEST_CASE("a weight that others share stays theirs", "[quantize]") {
  Net net;
  Value& w = net.constant("w", {1, -0.5f, 4, 0}, {2, 2, 1, 1});
  Value& y = net.op("Conv", {net.x, &w}, "y");
  Value& z = net.op("Conv", {&net.op("Relu", {&y}, "a"), &w}, "z");
  Model model = net.build({&z, &net.op("Conv", {net.x, &w}, "v")});
  const Model before(model.proto());
  CHECK(equalize_weights().run(model).changes == 1);
  CHECK(constant(model, "v", 1) == std::vector<float>{1, -0.5f, 4, 0});
  CHECK(equivalent(before.graph(), model.graph()));
}

TEST_CASE("below a Clip a channel is rescaled as far as it stays there", "[quantize]") {
  // The first channel reaches 2 + 0.5, the second one 4 * largest - 3; factors 1 / 4 and 2 without a Clip.
  const auto weights = [](float largest, const Pass& pass) {
    Two net;
    Model model = net.then(net.clip(net.y, 0, 5, "a"));
    const Model before(model.proto());
    pass.run(model);
    const auto result = [&](const Model& of) { return Evaluator(of.graph()).run(feeds(largest))[0].to<float>(); };
    const std::vector<float> was = result(before), is = result(model);
    for (std::size_t i = 0; i < was.size(); ++i) CHECK(is[i] == Approx(was[i]));
    return constant(model, "y", 1);
  };
  const auto observed = [](float largest) {
    return observe_channel_extremes(std::vector<Feeds>{feeds(largest)}) | equalize_weights();
  };
  // 2 + 1.75 - 0.25 = 3.5 and 4: the first one may grow to 4, the second one may shrink by 2
  const std::vector<float> both = weights(1.75f, observed(1.75f));
  CHECK(both[0] == Approx(4 / 3.5));
  CHECK(both[2] == Approx(2));
  // 4 * 2 - 3 = 5 is what the Clip lets through at most: it may have cut
  const std::vector<float> one = weights(2, observed(2));
  CHECK(one[0] == Approx(0.9 * 5 / 3.75));
  CHECK(one[2] == 4);
  CHECK(weights(1, equalize_weights()) == std::vector<float>{1, -0.5f, 4, 0});
}

TEST_CASE("a channel does not grow into a Clip that has no min, however far others reach below 0", "[quantize]") {
  Two net;
  Model model = net.then(net.op("Clip", {&net.y, nullptr, &net.scalar("five", 5)}, "a"));
  const Model before(model.proto());
  (observe_channel_extremes(std::vector<Feeds>{feeds(-20)}) | equalize_weights()).run(model);
  // 0.5 - 0.25 + 2 = 2.25 may grow to 4.5, though the second channel reaches -83
  CHECK(constant(model, "y", 1)[0] == Approx(2));
  const auto result = [](const Model& of) { return Evaluator(of.graph()).run(feeds(-20))[0].to<float>(); };
  const std::vector<float> was = result(before), is = result(model);
  for (std::size_t i = 0; i < was.size(); ++i) CHECK(is[i] == Approx(was[i]));
}

TEST_CASE("a channel that a Clip nearly cuts is not made smaller for that", "[quantize]") {
  Two net;
  Model model = net.then(net.clip(net.y, 0, 3.5f, "a"));
  (observe_channel_extremes(std::vector<Feeds>{feeds(1.5f)}) | equalize_weights()).run(model);
  CHECK(constant(model, "y", 1)[0] == 1);  // 1.5 + 2 - 0.25 = 3.25, and 0.9 * 3.5 = 3.15
}

TEST_CASE("a Clip that was not observed is reported", "[quantize]") {
  Two net;
  Model model = net.then(net.clip(net.y, 0, 5, "a"));
  CHECK(equalize_weights().run(model).notes ==
        std::vector<std::string>{"'y_node' is skipped: the output of its Clip was not observed"});
}

TEST_CASE("channels that nothing makes or reads keep their factor, and no factor is without end", "[quantize]") {
  Net net;
  Value& w1 = net.constant("w1", {0, 0, 1e-20f, 0}, {2, 2, 1, 1});
  Value& y = net.op("Conv", {net.x, &w1, &net.constant("b1", {2, 2}, {2})}, "y");
  Value& z = net.op("Conv", {&y, &net.constant("w2", {1, 1, 1, 1}, {2, 2, 1, 1})}, "z");
  Model model = net.build({&z});
  equalize_weights().run(model);
  CHECK(constant(model, "y", 2) == std::vector<float>{2, 2048});
}

TEST_CASE("what was known of rescaled values is forgotten", "[quantize]") {
  Two net;
  Model model = net.then(net.op("Relu", {&net.y}, "a"));
  Context context;
  context.facts.provide(Ranges{{"x", {0, 1}}, {"y", {0, 1}}, {"a", {0, 1}}, {"z", {0, 1}}});
  const std::vector<Feeds> samples{feeds(1)};
  (observe_channel_means(samples) | observe_channel_extremes(samples) | observe_histograms(samples) |
   equalize_weights())
      .run(model, context);
  CHECK(*context.facts.find<Ranges>() == Ranges{{"x", {0, 1}}, {"z", {0, 1}}});
  CHECK(context.facts.find<Statistics<ChannelMeans>>()->find("a") == nullptr);
  CHECK(context.facts.find<Statistics<ChannelMeans>>()->find("x") != nullptr);
  CHECK(context.facts.find<Statistics<ChannelExtremes>>()->find("y") == nullptr);
  CHECK(context.facts.find<Statistics<ChannelExtremes>>()->find("z") != nullptr);
  CHECK(context.facts.find<Statistics<Histogram>>()->find("y") == nullptr);
  CHECK(context.facts.find<Statistics<Histogram>>()->find("a") == nullptr);
  CHECK(context.facts.find<Statistics<Histogram>>()->find("z") != nullptr);
}

TEST_CASE("new constants stand in the order of their nodes", "[quantize]") {
  Net net;
  Value* value = net.x;
  for (int i = 0; i < 12; ++i) {
    const std::string name = "layer" + std::to_string(10 + i);
    Value& w = net.constant(name + "_w", random_floats(4, static_cast<unsigned>(i)), {2, 2, 1, 1});
    value = &net.op("Conv", {value, &w}, name);
  }
  Model model = net.build({value});
  equalize_weights().run(model);
  std::vector<std::string> names;
  for (const onnx::TensorProto& tensor : model.commit().graph().initializer())
    if (tensor.name().find("_equalized") != std::string::npos) names.push_back(tensor.name());
  CHECK(names.size() == 12);
  CHECK(std::is_sorted(names.begin(), names.end()));
}
