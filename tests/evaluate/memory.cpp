#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/build.hpp>

#include "evaluate/detail/random.hpp"
#include "support/tracked_memory.hpp"

using namespace graft;

namespace {

/// He et al., Deep Residual Learning for Image Recognition, table 1, with random weights and its batch normalizations
/// folded.
class ResNet50 {
 public:
  static Model build() {
    ResNet50 network;
    Value* x = &network.builder_.input("x", DType::f32, {1, 3, 224, 224});
    x = &network.relu(network.conv(*x, 3, 64, 7, 2));
    x = &network.builder_.op("MaxPool", {x}, {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}},
                                              {"pads", Ints{1, 1, 1, 1}}});
    std::int64_t channels = 64, width = 64;
    for (const int blocks : {3, 4, 6, 3}) {
      for (int block = 0; block < blocks; ++block) {
        x = &network.bottleneck(*x, channels, width, width > 64 && block == 0 ? 2 : 1);
        channels = 4 * width;
      }
      width *= 2;
    }
    x = &network.builder_.op("Flatten", {&network.builder_.op("GlobalAveragePool", {x})});
    network.builder_.output(
        network.builder_.op("Gemm", {x, &network.weight({1000, channels}), &network.weight({1000})}, {{"transB", 1}}));
    return network.builder_.build();
  }

 private:
  Value& weight(Dims dims) {
    const std::int64_t count = element_count(dims);
    Tensor values = Tensor::of(std::move(dims), random_floats(count, 1));
    return builder_.constant(std::move(values), "w" + std::to_string(++weights_));
  }
  Value& conv(Value& x, std::int64_t channels, std::int64_t filters, std::int64_t kernel, std::int64_t stride) {
    return builder_.op("Conv", {&x, &weight({filters, channels, kernel, kernel}), &weight({filters})},
                       {{"strides", Ints{stride, stride}}, {"pads", Ints(4, kernel / 2)}});
  }
  Value& relu(Value& x) { return builder_.op("Relu", {&x}); }
  Value& bottleneck(Value& x, std::int64_t channels, std::int64_t width, std::int64_t stride) {
    Value& narrow = relu(conv(x, channels, width, 1, 1));
    Value& y = conv(relu(conv(narrow, width, width, 3, stride)), width, 4 * width, 1, 1);
    Value& shortcut = channels == 4 * width ? x : conv(x, channels, 4 * width, 1, stride);
    return relu(builder_.op("Add", {&y, &shortcut}));
  }

  Builder builder_{13};
  int weights_ = 0;
};

Fetches computed_values(const Graph& graph) {
  Fetches values;
  for (const Node& node : graph.nodes()) {
    for (const Value& output : node.outputs()) values.emplace_back(output);
  }
  return values;
}

}  // namespace

TEST_CASE("a ResNet50 takes hardly more memory than its weights and its two largest activations", "[slow]") {
  const std::size_t before = TrackedMemory::live();
  const Model model = ResNet50::build();
  const Feeds feeds{{"x", Tensor(DType::f32, {1, 3, 224, 224})}};
  const auto peak = [&](const Fetches& fetches) {
    TrackedMemory::restart();
    Evaluator(model.graph()).run(feeds, fetches);
    return TrackedMemory::peak() - before;
  };

  std::size_t weights = 0;
  for (const onnx::TensorProto& weight : model.proto().graph().initializer()) weights += weight.raw_data().size();
  const Fetches all = computed_values(model.graph());
  std::vector<std::size_t> sizes;
  Evaluator(model.graph()).observe(feeds, all, [&](std::size_t, const Tensor& value) {
    sizes.push_back(value.bytes().size());
  });
  std::sort(sizes.rbegin(), sizes.rend());
  const auto bound = static_cast<double>(weights + sizes[0] + sizes[1]);
  CHECK(weights == 4 * 25530472);  // without the batch normalizations' own
  CHECK(static_cast<double>(peak({model.graph().outputs()[0]})) <= 1.3 * bound);
  CHECK(static_cast<double>(peak(all)) > 1.3 * bound);  // so that values that live on would show
}

namespace {

/// What a run that computes y takes at once, in floats.
std::int64_t floats_taken(Builder builder, Value& y, const Tensor& x) {
  builder.output(y, "y");
  const Model model = builder.build();
  const Evaluator evaluator(model.graph());
  const Feeds feeds{{"x", x}};
  const std::size_t before = TrackedMemory::live();
  TrackedMemory::restart();
  evaluator.run(feeds);
  return static_cast<std::int64_t>((TrackedMemory::peak() - before) / sizeof(float));
}

}  // namespace

TEST_CASE("elementwise operators work in place of a value that none reads any more") {
  const Tensor x(DType::f32, {1, 16, 100, 100});
  const Tensor channel = Tensor::of<float>({16}, std::vector<float>(16, 0.5F));
  const auto taken = [&](std::string_view op, std::vector<Tensor> others, const Attributes& attributes = {},
                         bool swapped = false) {
    Builder builder(13);
    Value& input = builder.input("x", DType::f32, {1, 16, 100, 100});
    std::vector<Value*> inputs{&builder.op("Exp", {&input})};
    for (const Tensor& other : others)
      inputs.push_back(&builder.constant(other, "c" + std::to_string(inputs.size())));
    if (others.empty() && swapped) inputs.push_back(&input);
    if (swapped) std::swap(inputs[0], inputs[1]);
    Value& y = *builder.graph().insert(op, inputs, 1, attributes).output(0);
    return floats_taken(std::move(builder), y, x);
  };
  const std::int64_t once = x.size() + 2000;
  for (const std::string_view op : {"Relu", "Clip", "Sigmoid", "HardSwish", "LeakyRelu", "Abs", "Identity", "Dropout",
                                    "Flatten", "Softmax", "Squeeze", "Neg"}) {
    CAPTURE(op);
    CHECK(taken(op, {}) <= once);
  }
  for (const std::string_view op : {"Add", "Sub", "Mul", "Div", "Max", "Pow"}) {
    CAPTURE(op);
    CHECK(taken(op, {Tensor::scalar(2.0F)}) <= once);
    CHECK(taken(op, {Tensor(DType::f32, {1, 16, 1, 1})}) <= once);
    CHECK(taken(op, {}, {}, true) <= once);  // x first, which is the caller's
    if (op != "Max") CHECK(taken(op, {Tensor::scalar(2.0F)}, {}, true) <= once);
  }
  CHECK(taken("Cast", {}, {{"to", static_cast<std::int64_t>(DType::f32)}}) <= once);
  CHECK(taken("Reshape", {Tensor::of<std::int64_t>({2}, {-1, 100})}) <= once);
  CHECK(taken("BatchNormalization", {channel, channel, channel, channel}) <= once);
  CHECK(taken("Concat", {}, {{"axis", 0}}) > once);  // so that a copy would show
}

TEST_CASE("a convolution takes little beyond its input and its output") {
  Builder builder(13);
  Value& x = builder.input("x", DType::f32, {1, 16, 300, 300});
  Value& w = builder.constant(Tensor::of({8, 16, 3, 3}, random_floats(8 * 16 * 9, 1)), "w");
  Value& y = builder.op("Conv", {&x, &w}, {{"pads", Ints{1, 1, 1, 1}}});
  CHECK(floats_taken(std::move(builder), y, Tensor(DType::f32, {1, 16, 300, 300})) <= 8 * 300 * 300 + 330000);
}
