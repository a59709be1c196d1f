#include <graft/quantize/place/bias.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/qdq/quantize_tensor.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

struct Quantized {
  std::vector<std::int64_t> codes;
  std::vector<float> scales;
};

/// y = Conv(DQ(Q(x)), DQ(weight), bias), with the input at this scale.
struct Fixture : Net {
  Fixture(float x_scale, const Tensor& weights, std::optional<std::size_t> axis, const std::vector<float>& biases) {
    Graph& graph = builder.graph();
    Value& b = constant("b", biases, {static_cast<std::int64_t>(biases.size())});
    Value& w = constant("w", std::vector<float>(4), {2, 2, 1, 1});
    y = &op("Conv", {x, &w, &b}, "y");
    insert_qdq(*x, {x_scale, 128, DType::u8}, false);
    const QuantizedConstant quantized = add_quantized(graph, quantize_tensor(weights, DType::i8, axis), "w");
    REQUIRE(graph.set_input(*y->producer(), 1, &insert_dequantize(quantized, *y->producer(), "w")));
  }
  Node& node() { return *y->producer(); }
  Quantized read(std::size_t input) {
    const std::optional<QuantizedTensor> tensor = quantized_constant(*node().input(input)->producer());
    REQUIRE(tensor);
    return {tensor->data.to<std::int64_t>(), tensor->scale.to<float>()};
  }
  Value* y;
};

const Tensor two_channels = Tensor::of<float>({2, 2, 1, 1}, {1.27f, 0, 0, 2.54f});

}  // namespace

TEST_CASE("a bias is quantized to int32 at the product of the scales", "[quantize]") {
  Fixture net(0.5f, two_channels, 0, {1, -0.0125f});
  CHECK(quantize_bias(net.node()) == BiasResult::quantized);
  const Quantized bias = net.read(2);
  CHECK(bias.codes == std::vector<std::int64_t>{200, -1});
  CHECK(bias.scales == std::vector<float>{0.5f * 0.01f, 0.5f * 0.02f});
  CHECK(net.node().input(2)->producer()->input(0)->dtype() == DType::i32);
  CHECK(net.node().input(2)->producer()->attr<std::int64_t>("axis") == 0);
  CHECK(net.builder.graph().find("b") == nullptr);
}

TEST_CASE("a bias behind a weight of one scale has one scale", "[quantize]") {
  Fixture net(0.5f, two_channels, {}, {1, -0.0125f});
  CHECK(quantize_bias(net.node()) == BiasResult::quantized);
  CHECK(net.read(2).codes == std::vector<std::int64_t>{100, -1});
  CHECK(net.node().input(2)->producer()->input(1)->shape().rank() == 0);
  CHECK(net.node().input(2)->producer()->attribute("axis") == nullptr);
}

TEST_CASE("a bias behind a weight whose one scale has dims [1] has one scale", "[quantize]") {
  for (const float size : {1.0f, 1e9f}) {  // the second overflows: the weight is rescaled
    Fixture net(0.5f, two_channels, {}, {size, -0.0125f});
    Node& weight = *net.node().input(1)->producer();
    for (const std::size_t input : {std::size_t{1}, std::size_t{2}}) {
      Value& one = net.builder.graph().add_initializer(weight.input(input)->constant()->reshaped({1}), "one");
      REQUIRE(net.builder.graph().set_input(weight, input, &one));
    }
    CHECK(quantize_bias(net.node()) == (size == 1 ? BiasResult::quantized : BiasResult::rescaled));
    const Quantized bias = net.read(2);
    REQUIRE(bias.scales.size() == 1);
    CHECK(bias.scales[0] == 0.5f * net.read(1).scales[0]);
    CHECK(static_cast<float>(bias.codes[0]) * bias.scales[0] == Approx(size));
    CHECK(net.node().input(2)->producer()->input(1)->shape().rank() == 0);
    CHECK(net.node().input(2)->producer()->attribute("axis") == nullptr);
  }
}

TEST_CASE("a quantized bias, or none, is left", "[quantize]") {
  Fixture net(0.5f, two_channels, 0, {1, -1});
  CHECK(quantize_bias(net.node()) == BiasResult::quantized);
  CHECK(quantize_bias(net.node()) == BiasResult::left);
  net.builder.graph().resize_inputs(net.node(), 2);
  CHECK(quantize_bias(net.node()) == BiasResult::left);
  Net plain;
  CHECK(quantize_bias(*plain.conv(*plain.x).producer()) == BiasResult::left);
}

TEST_CASE("a float bias that someone else reads stays", "[quantize]") {
  Fixture net(0.5f, two_channels, 0, {1, -1});
  Value& other = net.op("Neg", {net.builder.graph().find("b")}, "other");
  quantize_bias(net.node());
  CHECK(other.producer()->input(0)->name() == "b");
}

TEST_CASE("a bias that overflows raises the scale of its channel", "[quantize]") {
  const Tensor tiny = Tensor::of<float>({2, 2, 1, 1}, {1.27e-9f, 1e-9f, 0, 2.54f});
  Fixture net(0.01f, tiny, 0, {1, 1});
  CHECK(quantize_bias(net.node()) == BiasResult::rescaled);
  const Quantized bias = net.read(2), weight = net.read(1);
  CHECK(std::abs(bias.codes[0]) <= std::int64_t{1} << 30);
  CHECK(std::abs(bias.codes[0]) >= std::int64_t{1} << 29);
  CHECK(static_cast<float>(bias.codes[0]) * bias.scales[0] == Approx(1));
  CHECK(bias.scales[0] == 0.01f * weight.scales[0]);
  CHECK(weight.scales[0] > 1e-8f);
  CHECK(weight.codes == std::vector<std::int64_t>{0, 0, 0, 127});
  CHECK(weight.scales[1] == 0.02f);
}

TEST_CASE("an input of 16 bits, whose scale is 257 times smaller, makes a bias overflow sooner", "[quantize]") {
  const Tensor small = Tensor::of<float>({2, 2, 1, 1}, {1.27e-3f, 0, 0, 1e-3f});
  Fixture narrow(1.0f / 255, small, {}, {20, 0}), wide(1.0f / 65535, small, {}, {20, 0});
  CHECK(quantize_bias(narrow.node()) == BiasResult::quantized);
  CHECK(quantize_bias(wide.node()) == BiasResult::rescaled);
  const Quantized bias = wide.read(2);
  CHECK(std::abs(bias.codes[0]) <= std::int64_t{1} << 30);
  CHECK(static_cast<float>(bias.codes[0]) * bias.scales[0] == Approx(20));
}

TEST_CASE("a weight that someone else reads keeps its scale when a bias overflows", "[quantize]") {
  const Tensor tiny = Tensor::of<float>({2, 2, 1, 1}, {1.27e-9f, 0, 0, 1});
  Fixture net(0.01f, tiny, {}, {1e9f, 1});
  Value* const shared = net.node().input(1);
  Value& other = net.op("Conv", {net.x, shared}, "other");
  CHECK(quantize_bias(net.node()) == BiasResult::rescaled);
  CHECK(net.node().input(1) != shared);
  CHECK(other.producer()->input(1) == shared);
  CHECK(quantized_constant(*shared->producer())->scale.item<float>() == 1 / 127.0f);
}

TEST_CASE("scales whose product is not a normal number are raised", "[quantize]") {
  const Tensor tiny = Tensor::of<float>({2, 2, 1, 1}, {1e-35f, 0, 0, 1e-35f});
  Fixture net(1e-4f, tiny, {}, {0, 0});
  CHECK(quantize_bias(net.node()) == BiasResult::rescaled);
  CHECK(net.read(2).scales[0] >= std::numeric_limits<float>::min());
}

TEST_CASE("a bias that cannot be quantized is an error that names it", "[quantize]") {
  Fixture bad(0.5f, two_channels, 0, {NAN, 1});
  CHECK_THROWS_WITH(quantize_bias(bad.node()),
                    "node 'y_node': b: has a value that is not finite, and cannot be quantized");
  Fixture three(0.5f, two_channels, 0, {1, 2, 3});
  CHECK_THROWS_WITH(quantize_bias(three.node()), "node 'y_node': b: has 3 values for 2 channels");
  Fixture one_scale(0.5f, two_channels, {}, {1, 2, 3});
  CHECK_THROWS_WITH(quantize_bias(one_scale.node()), "node 'y_node': b: has 3 values for 2 channels");
}

TEST_CASE("weights of 0 take a scale in which their bias keeps its precision", "[quantize]") {
  const Tensor dead = Tensor::of<float>({2, 2, 1, 1}, {0, 0, 0, 2.54f});
  Fixture net(1, dead, 0, {0.013f, -1});  // the first channel was lent the scale 0.02 of the second
  CHECK(quantize_bias(net.node()) == BiasResult::quantized);
  const Quantized bias = net.read(2), weight = net.read(1);
  CHECK(static_cast<float>(bias.codes[0]) * bias.scales[0] == Approx(0.013f).epsilon(1e-6));
  CHECK(bias.scales[0] == weight.scales[0]);
  CHECK(bias.codes[1] == -50);
  CHECK(weight.codes == std::vector<std::int64_t>{0, 0, 0, 127});
  CHECK(weight.scales[1] == 0.02f);

  Fixture whole(1, Tensor::of<float>({2, 2, 1, 1}, {0, 0, 0, 0}), {}, {0.013f, -1e-4f});
  CHECK(quantize_bias(whole.node()) == BiasResult::quantized);
  const Quantized biases = whole.read(2);
  CHECK(static_cast<float>(biases.codes[0]) * biases.scales[0] == Approx(0.013f).epsilon(1e-6));
  CHECK(static_cast<float>(biases.codes[1]) * biases.scales[0] == Approx(-1e-4f).epsilon(1e-4));

  Fixture none(1, dead, 0, {0, -1});
  CHECK(quantize_bias(none.node()) == BiasResult::quantized);
  CHECK(none.read(1).scales[0] == 0.02f);
}
