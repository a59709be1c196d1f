#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph.hpp>
#include <graft/qonnx/datatype/annotations.hpp>
#include <graft/qonnx/datatype/ranges.hpp>
#include <graft/qonnx/ops/kernels.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/testing/text.hpp>

using namespace graft;
using qonnx::PropagatedRanges;
using qonnx::TensorRange;

namespace {

using Inputs = std::map<std::string, TensorRange, std::less<>>;

class Net {
 public:
  Net() : b_(13) { b_.import(qonnx::domain, 1); }

  Value& input(std::vector<Dim> dims, DType dtype = DType::f32) {
    return b_.input("x" + std::to_string(b_.graph().inputs().size()), dtype, std::move(dims));
  }
  Value& constant(Tensor tensor) { return b_.constant(std::move(tensor), "c" + std::to_string(constants_++)); }
  Value& constant(Dims dims, const std::vector<float>& values) {
    return constant(Tensor::of<float>(std::move(dims), values));
  }
  Value& number(float value) { return constant(Tensor::scalar(value)); }
  Value& quant(Value& x, Value& scale, float bits, bool is_signed = true, float zero_point = 0) {
    return op("qonnx.custom_op.general::Quant", {&x, &scale, &number(zero_point), &number(bits)},
              {{"signed", is_signed ? 1 : 0}});
  }
  Value& op(std::string_view name, std::initializer_list<Value*> inputs, const Attributes& attributes = {}) {
    return b_.op(name, inputs, attributes);
  }
  Node& node(std::string_view name, std::initializer_list<Value*> inputs, std::size_t outputs,
             const Attributes& attributes = {}) {
    return b_.node(name, inputs, outputs, attributes);
  }
  PropagatedRanges ranges(const Inputs& inputs = {}) { return qonnx::propagate_ranges(b_.graph(), inputs); }
  TensorRange range(const Value& value, const Inputs& inputs = {}) { return *ranges(inputs).find(value); }
  Graph& graph() { return b_.graph(); }

 private:
  Builder b_;
  int constants_ = 0;
};

/// f32 between -1 and 1, the same ones every time.
Tensor noise(Dims dims, unsigned seed) {
  std::mt19937 random(seed);
  Tensor tensor(DType::f32, std::move(dims));
  for (float& number : tensor.mutable_data<float>())
    number = static_cast<float>(random() >> 8) / static_cast<float>(1 << 23) - 1;
  return tensor;
}

/// Whether all values of a tensor lie within a range, except for rounding; and how much of it they fill, in the channel
/// that is filled most.
double filled(const Tensor& tensor, const TensorRange& range) {
  std::size_t inner = 1, channels = range.min.size();
  for (std::size_t i = range.axis + 1; i < tensor.rank(); ++i) inner *= static_cast<std::size_t>(tensor.dims()[i]);
  if (range.is_per_channel()) REQUIRE(tensor.dims().at(range.axis) == static_cast<std::int64_t>(channels));
  std::vector<double> low(channels, INFINITY), high(channels, -INFINITY);
  const std::vector<double> values = tensor.to<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t channel = range.is_per_channel() ? i / inner % channels : 0;
    low[channel] = std::min(low[channel], values[i]);
    high[channel] = std::max(high[channel], values[i]);
  }
  double most = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    const double slack = 1e-5 * std::max({1.0, std::fabs(range.min[c]), std::fabs(range.max[c])});
    CHECK(low[c] >= range.min[c] - slack);
    CHECK(high[c] <= range.max[c] + slack);
    if (range.max[c] > range.min[c]) most = std::max(most, (high[c] - low[c]) / (range.max[c] - range.min[c]));
  }
  return most;
}

}  // namespace

TEST_CASE("a Quant bounds an unknown range before it", "[qonnx]") {
  Net net;
  Value& x = net.input({1, 3, 4, 4});
  Value& tensor_wise = net.quant(x, net.number(0.5F), 3);
  Value& channel_wise = net.quant(x, net.constant({3, 1, 1}, {1, 2, 0.25F}), 2, false);
  Value& shifted = net.quant(x, net.number(2), 2, false, 1);
  Value& bipolar = net.op("qonnx.custom_op.general::BipolarQuant", {&x, &net.number(0.5F)});
  Value& relu = net.op("Relu", {&x});
  Value& thresholds = net.constant({1, 3}, {0, 1, 2});
  Value& counted = net.op("qonnx.custom_op.general::MultiThreshold", {&x, &thresholds},
                          {{"out_dtype", "INT3"}, {"out_scale", 2.0F}, {"out_bias", -4.0F}});
  const PropagatedRanges known = net.ranges();
  CHECK(*known.find(counted) == TensorRange::of(-4, 2, {2}));
  CHECK(*known.find(tensor_wise) == TensorRange{{-2}, {1.5}, 0, {0.5}, 0});
  CHECK(*known.find(channel_wise) == TensorRange{{0, 0, 0}, {3, 6, 0.75}, 1, {1, 2, 0.25}, 1});
  CHECK(*known.find(shifted) == TensorRange{{-2}, {4}, 0, {2}, 0});
  CHECK(*known.find(bipolar) == TensorRange{{-0.5}, {0.5}, 0, {0.5}, 0});
  CHECK(*known.find(relu) == TensorRange::of(0, INFINITY));
  CHECK(*known.find(x) == TensorRange());
}

TEST_CASE("ranges of inputs are given, or follow from annotations and dtypes", "[qonnx]") {
  Net net;
  Value &x = net.input({2}), &y = net.input({2}), &z = net.input({2}, DType::i8);
  qonnx::DataTypes types;
  types.set(y, qonnx::DataType::fixed(4, 2));
  qonnx::write_data_types(net.graph().model(), types);
  const PropagatedRanges known = net.ranges({{"x0", TensorRange::of(-3, 2)}});
  CHECK(*known.find(x) == TensorRange::of(-3, 2));
  CHECK(*known.find(y) == TensorRange::of(-2, 1.75, {0.25}));
  CHECK(*known.find(z) == TensorRange::of(-128, 127, {1}));
  CHECK_THROWS_WITH(net.ranges({{"w", TensorRange::of(0, 1)}}), Catch::Contains("w"));
  CHECK_THROWS_WITH(net.ranges({{"x0", TensorRange::of(1, 0)}}), Catch::Contains("x0"));
}

TEST_CASE("elementwise operators move the ends of a range", "[qonnx]") {
  Net net;
  Value &x = net.input({1, 2, 3}), &y = net.input({1, 2, 3});
  const Inputs inputs{{"x0", TensorRange{{-1, 0}, {2, 3}, 1}}, {"x1", TensorRange::of(-2, 0.5)}};
  const auto range = [&](Value& value) { return net.range(value, inputs); };
  CHECK(range(net.op("Add", {&x, &y})) == TensorRange{{-3, -2}, {2.5, 3.5}, 1});
  CHECK(range(net.op("Sub", {&x, &y})) == TensorRange{{-1.5, -0.5}, {4, 5}, 1});
  CHECK(range(net.op("Mul", {&x, &y})) == TensorRange{{-4, -6}, {2, 1.5}, 1});
  CHECK(range(net.op("Neg", {&x})) == TensorRange{{-2, -3}, {1, 0}, 1});
  CHECK(range(net.op("Clip", {&x, &net.number(0), &net.number(2.5F)})) == TensorRange{{0, 0}, {2, 2.5}, 1});
  CHECK(range(net.op("Div", {&y, &net.number(-4)})) == TensorRange::of(-0.125, 0.5));
  CHECK(range(net.op("Div", {&x, &y})) == TensorRange());
  CHECK(range(net.op("Max", {&x, &y})) == TensorRange{{-1, 0}, {2, 3}, 1});
  CHECK(range(net.op("Add", {&y, &net.constant({2, 1}, {1, 10})})) == TensorRange{{-1, 8}, {1.5, 10.5}, 1});
  CHECK(range(net.op("LeakyRelu", {&y}, {{"alpha", 0.5F}})) == TensorRange::of(-1, 0.5));
  CHECK(range(net.op("LeakyRelu", {&y}, {{"alpha", -0.5F}})) == TensorRange());  // no longer monotone
  CHECK(range(net.op("Cos", {&y})) == TensorRange());
  CHECK(range(net.op("Softmax", {&y})) == TensorRange::of(0, 1));
  Value& normalized = net.op("BatchNormalization", {&y, &net.constant({2}, {1, -2}), &net.constant({2}, {0, 1}),
                                                    &net.constant({2}, {0, 0}), &net.constant({2}, {1, 1})},
                             {{"epsilon", 0.0F}});
  CHECK(range(normalized) == TensorRange{{-2, 0}, {0.5, 5}, 1});
}

TEST_CASE("movement carries channels along, or mixes them", "[qonnx]") {
  Net net;
  Value& x = net.input({1, 2, 3, 3});
  const TensorRange by_channel{{-1, 0}, {2, 3}, 1, {0.5, 1}, 1}, whole = TensorRange::of(-1, 3);
  const Inputs inputs{{"x0", by_channel}};
  const auto range = [&](Value& value) { return net.range(value, inputs); };
  CHECK(range(net.op("MaxPool", {&x}, {{"kernel_shape", {2, 2}}})) == by_channel);
  CHECK(range(net.op("Transpose", {&x}, {{"perm", {0, 2, 3, 1}}})) == TensorRange{{-1, 0}, {2, 3}, 3, {0.5, 1}, 3});
  const TensorRange flat = range(net.op("Flatten", {&x}));
  CHECK(flat.axis == 1);
  REQUIRE(flat.min.size() == 18);
  CHECK(flat.min[8] == -1);
  CHECK(flat.min[9] == 0);
  CHECK(flat.step[9] == 1);
  CHECK(range(net.op("Flatten", {&x}, {{"axis", 3}})).min == std::vector<double>{-1, -1, -1, 0, 0, 0});
  CHECK(range(net.op("Reshape", {&x, &net.constant(Tensor::of<std::int64_t>({2}, {9, 2}))})) == whole);
  CHECK(range(net.op("Slice", {&x, &net.constant(Tensor::of<std::int64_t>({1}, {0})),
                               &net.constant(Tensor::of<std::int64_t>({1}, {1})),
                               &net.constant(Tensor::of<std::int64_t>({1}, {1}))})) == whole);
  CHECK(range(net.op("GlobalAveragePool", {&x})) == TensorRange{{-1, 0}, {2, 3}, 1});
  const Attributes padded{{"kernel_shape", {2, 2}}, {"pads", {1, 1, 1, 1}}, {"count_include_pad", 1}};
  CHECK(range(net.op("AveragePool", {&net.op("Clip", {&x, &net.number(1), nullptr})}, padded)).min[0] == 0);
  Value& y = net.op("Clip", {&x, &net.number(1), nullptr});
  CHECK(range(net.op("Pad", {&y, &net.constant(Tensor::of<std::int64_t>({8}, {0, 0, 1, 1, 0, 0, 1, 1}))})) ==
        TensorRange::of(0, 3));
  CHECK(range(net.op("Concat", {&y, &x}, {{"axis", 1}})) == TensorRange{{1, 1, -1, 0}, {2, 3, 2, 3}, 1});
  CHECK(range(net.op("Concat", {&y, &x}, {{"axis", 2}})) == TensorRange::of(-1, 3));
  Node& split = net.node("Split", {&x}, 2, {{"axis", 1}});
  CHECK(net.range(*split.output(1), inputs).min == std::vector<double>{0});
  CHECK(net.range(*split.output(1), inputs).max == std::vector<double>{3});
}

TEST_CASE("products count positive and negative weights apart", "[qonnx]") {
  Net net;
  Value &x = net.input({5, 3}), &y = net.input({5, 3});
  const Inputs inputs{{"x0", TensorRange{{0, -1, 2}, {1, 1, 4}, 1}}, {"x1", TensorRange::of(-1, 2)}};
  Value& w = net.constant({3, 2}, {1, -1, 2, 0, -0.5F, 1});
  CHECK(net.range(net.op("MatMul", {&x, &w}), inputs) == TensorRange{{-4, 1}, {2, 4}, 1});
  CHECK(net.range(net.op("MatMul", {&y, &w}), inputs) == TensorRange{{-4, -3}, {6.5, 3}, 1});
  Value &v = net.constant({2, 3}, {1, 2, -0.5F, -1, 0, 1}), &bias = net.constant({2}, {10, 20});
  CHECK(net.range(net.op("Gemm", {&x, &v, &bias}, {{"transB", 1}, {"alpha", -1.0F}, {"beta", 2.0F}}), inputs) ==
        TensorRange{{18, 36}, {24, 39}, 1});
  CHECK(net.range(net.op("MatMul", {&net.constant({1, 5}, {1, 1, 1, 1, -1}), &x}), inputs) ==
        TensorRange{{-8}, {17}, 0});
}

TEST_CASE("weights of 0 keep unknown ranges out", "[qonnx]") {
  Net net;
  Value& product = net.op("MatMul", {&net.input({1, 2}), &net.constant({2, 2}, {0, 1, 0, 1})});
  CHECK(net.range(product).min == std::vector<double>{0, -INFINITY});
  CHECK(net.range(product).max == std::vector<double>{0, INFINITY});
}

TEST_CASE("zeros of padding count as inputs of a Conv", "[qonnx]") {
  Net net;
  Value &x = net.input({1, 1, 4, 4}), &w = net.constant({1, 1, 2, 2}, {1, 1, 1, 1});
  const Inputs inputs{{"x0", TensorRange::of(2, 3)}};
  CHECK(net.range(net.op("Conv", {&x, &w}), inputs).min[0] == 8);
  CHECK(net.range(net.op("Conv", {&x, &w}, {{"pads", {1, 1, 1, 1}}}), inputs).min[0] == 0);
  CHECK(net.range(net.op("Conv", {&x, &w}, {{"auto_pad", "SAME_UPPER"}}), inputs).min[0] == 0);
  CHECK(net.range(net.op("ConvTranspose", {&x, &w}), inputs).min[0] == 0);
}

TEST_CASE("products of quantized operands are sums of integers", "[qonnx]") {
  Net net;
  Value& x = net.quant(net.input({1, 2, 4, 4}), net.number(0.1F), 2, false);                           // 0 .. 3
  Value& w = net.quant(net.constant({2, 2, 1, 1}, {1, -0.3F, 0.2F, 0.7F}), net.constant({2, 1, 1, 1}, {0.1F, 0.3F}), 4);
  Value& y = net.op("Conv", {&x, &w, &net.constant({2}, {5, 5})});
  Value& z = net.op("Conv", {&net.op("Relu", {&net.input({1, 2, 4, 4})}), &w});
  const PropagatedRanges known = net.ranges();
  REQUIRE(known.accumulators.size() == 1);
  const qonnx::Accumulator& sum = known.accumulators[0];
  CHECK(sum.node == y.producer());
  CHECK(sum.min == std::vector<double>{-9, 0});  // weights 7 (clamped), -3 and 1, 2
  CHECK(sum.max == std::vector<double>{21, 9});
  CHECK(sum.type == qonnx::DataType::integer(6));
  CHECK(known.find(y)->max[0] == Approx(21 * 0.1 * 0.1 + 5));
  REQUIRE(known.unknown.size() == 1);
  CHECK(known.unknown[0].node == z.producer());
}

TEST_CASE("a depthwise Conv sums integers of a scale for each channel, a dense one does not", "[qonnx]") {
  Net net;
  Value& x = net.quant(net.input({1, 2, 4, 4}), net.constant({2, 1, 1}, {0.5F, 0.25F}), 3, false);
  Value& depthwise = net.op("Conv", {&x, &net.constant({2, 1, 1, 2}, {1, 2, -1, 1})}, {{"group", 2}});
  net.op("Conv", {&x, &net.constant({1, 2, 1, 1}, {1, 1})});
  const PropagatedRanges known = net.ranges();
  REQUIRE(known.accumulators.size() == 1);
  CHECK(known.accumulators[0].min == std::vector<double>{0, -7});
  CHECK(known.accumulators[0].max == std::vector<double>{21, 7});
  CHECK(known.find(depthwise)->step == std::vector<double>{0.5, 0.25});
  CHECK(known.unknown.size() == 1);
}

TEST_CASE("steps pass through what keeps integers integers", "[qonnx]") {
  Net net;
  Value& x = net.quant(net.input({1, 2, 4, 4}), net.number(0.5F), 3);
  const auto step = [&](Value& value) { return net.range(value).step; };
  CHECK(step(net.op("Relu", {&x})) == std::vector<double>{0.5});
  CHECK(step(net.op("Add", {&x, &x})) == std::vector<double>{0.5});
  CHECK(step(net.op("Mul", {&x, &net.constant({2, 1, 1}, {2, -4})})) == std::vector<double>{1, 2});
  CHECK(step(net.op("Add", {&x, &net.number(0.3F)})).empty());
  CHECK(step(net.op("Sigmoid", {&x})).empty());
  CHECK(step(net.op("Round", {&x})) == std::vector<double>{1});
  CHECK(step(net.op("AveragePool", {&x}, {{"kernel_shape", {2, 2}}})).empty());
  Value& bytes = net.op("QuantizeLinear", {&x, &net.number(0.5F), &net.constant(Tensor::scalar<std::int8_t>(3))});
  CHECK(net.range(bytes) == TensorRange::of(-1, 6, {1}));
  Value& back = net.op("DequantizeLinear", {&bytes, &net.number(0.5F), &net.constant(Tensor::scalar<std::int8_t>(3))});
  CHECK(net.range(back) == TensorRange::of(-2, 1.5, {0.5}));
}

TEST_CASE("channels that take one value only are stuck", "[qonnx]") {
  Net net;
  Value& x = net.op("Sigmoid", {&net.input({1, 3})});
  Value& sum = net.op("Add", {&x, &net.constant({3}, {-2, 0, -3})});
  Value& stuck = net.op("Relu", {&sum});
  const PropagatedRanges known = net.ranges();
  REQUIRE(known.stuck.size() == 2);
  CHECK(known.stuck[0].value == &stuck);
  CHECK(known.stuck[0].channel == 0);
  CHECK(known.stuck[1].channel == 2);
  CHECK(known.stuck[1].number == 0);
}

TEST_CASE("every value of a network lies in its range, whatever the input", "[qonnx]") {
  Net net;
  Value& image = net.input({2, 3, 8, 8});
  Value& x = net.quant(image, net.number(0.125F), 4);
  Value& w1 = net.quant(net.constant(noise({4, 3, 3, 3}, 1)), net.constant({4, 1, 1, 1}, {0.1F, 0.2F, 0.3F, 0.4F}), 3);
  Value& a = net.op("Conv", {&x, &w1, &net.constant({4}, {0.5F, -1, 2, 0})}, {{"pads", {1, 1, 1, 1}}});
  Value& b = net.op("BatchNormalization", {&a, &net.constant({4}, {1, -2, 0.5F, 3}), &net.constant({4}, {0, 1, 2, 3}),
                                           &net.constant({4}, {0.5F, 0, -1, 0}), &net.constant({4}, {1, 4, 2, 9})});
  Value& c = net.quant(net.op("Relu", {&b}), net.constant({1, 4, 1, 1}, {0.5F, 0.1F, 1, 0.2F}), 3, false);
  Value& w2 = net.constant(noise({4, 1, 3, 3}, 2));
  Value& d = net.op("Conv", {&c, &w2}, {{"group", 4}});
  Value& e = net.op("AveragePool", {&net.op("Add", {&d, &d})}, {{"kernel_shape", {2, 2}}, {"strides", {2, 2}}});
  Value& f = net.op("Flatten", {&e});
  Value& g = net.op("Gemm", {&f, &net.constant(noise({5, 36}, 3)), &net.constant(noise({5}, 4))},
                    {{"transB", 1}, {"alpha", 0.5F}});
  Value& h = net.op("Concat", {&net.op("Tanh", {&g}), &net.op("LeakyRelu", {&g})}, {{"axis", 1}});

  const std::vector<Value*> fetched{&x, &a, &b, &c, &d, &e, &f, &g, &h};
  const PropagatedRanges known = net.ranges({{"x0", TensorRange::of(-1, 1)}});
  CHECK(known.accumulators.size() == 1);
  std::map<const Value*, double> most;
  for (unsigned seed = 10; seed < 16; ++seed) {
    const auto results = Evaluator(net.graph(), qonnx::kernels()).run({{&image, noise({2, 3, 8, 8}, seed)}},
                                                                           Fetches(fetched.begin(), fetched.end()));
    for (std::size_t i = 0; i < fetched.size(); ++i) {
      INFO(i);
      REQUIRE(known.find(*fetched[i]) != nullptr);
      most[fetched[i]] = std::max(most[fetched[i]], filled(results[i], *known.find(*fetched[i])));
    }
  }
  CHECK(most[&x] == 1);
  CHECK(most[&a] > 0.3);
  CHECK(most[&c] == 1);
}

TEST_CASE("the ends of a product are taken where each input is at one of its ends", "[qonnx]") {
  Net net;
  Value& x = net.input({1, 6});
  const Tensor weight = noise({6, 3}, 7);
  Value& y = net.op("MatMul", {&x, &net.constant(weight)});
  const TensorRange range = net.range(y, {{"x0", TensorRange::of(-0.5, 2)}});
  for (std::size_t column = 0; column < 3; ++column) {
    std::vector<float> worst;
    for (std::size_t row = 0; row < 6; ++row) worst.push_back(weight.data<float>()[row * 3 + column] > 0 ? 2 : -0.5F);
    const auto result = Evaluator(net.graph()).run({{&x, Tensor::of<float>({1, 6}, worst)}}, Fetches{&y});
    CHECK(result[0].data<float>()[column] == Approx(range.max[column]));
  }
}

TEST_CASE("bodies and what they feed are not known", "[qonnx]") {
  Builder branch(13);
  branch.output(branch.op("RandomNormal", {}, {{"shape", {2}}}), "r");
  Builder b(13);
  const onnx::GraphProto body = branch.build().commit().graph();
  Value& y = b.op("If", {&b.input("condition", DType::boolean, {})}, {{"then_branch", body}, {"else_branch", body}});
  b.output(b.op("Tanh", {&y}), "z");
  Model model = b.build();
  const PropagatedRanges known = qonnx::propagate_ranges(model.graph());
  CHECK(*known.find(*model.graph().first_node()->output(0)) == TensorRange());
  CHECK(*known.find(*model.graph().find("z")) == TensorRange::of(-1, 1));
  CHECK(known.unknown.size() == 1);
}

TEST_CASE("integers that leave their dtype wrap, and may be any of it", "[qonnx]") {
  const auto after = [](std::string_view op, DType dtype, TensorRange range, double other = NAN) {
    Net net;
    Value& x = net.input({2}, dtype);
    Value* y = nullptr;
    if (std::isnan(other)) y = &net.op(op, {&x});
    else y = &net.op(op, {&x, &net.constant(Tensor::of<double>(dtype, {1}, {other}))});
    return net.range(*y, {{"x0", std::move(range)}});
  };
  const TensorRange all_i32 = TensorRange::of(-2147483648.0, 2147483647.0, {1});
  CHECK(after("Add", DType::i32, all_i32, 1) == all_i32);
  CHECK(after("Add", DType::i32, TensorRange::of(0, 5, {1}), 1) == TensorRange::of(1, 6, {1}));
  CHECK(after("Neg", DType::i8, TensorRange::of(-128, 0, {1})) == TensorRange::of(-128, 127, {1}));
  CHECK(after("Mul", DType::u8, TensorRange::of(0, 20, {1}), 13) == TensorRange::of(0, 255, {1}));
  CHECK(after("Sub", DType::i64, TensorRange::of(-0x1p63, 0, {1}), 1) == TensorRange::of(-0x1p63, 0x1p63, {1}));
  CHECK(after("Div", DType::i32, TensorRange::of(-3, 7, {1}), 2) == TensorRange::of(-1, 3, {1}));
}

TEST_CASE("a Cast truncates, wraps, or asks for 0", "[qonnx]") {
  const auto cast = [](DType from, DType to, TensorRange range) {
    Net net;
    Value& y = net.op("Cast", {&net.input({2}, from)}, {{"to", static_cast<std::int64_t>(to)}});
    return net.range(y, {{"x0", std::move(range)}}).whole();
  };
  const auto ends = [](const TensorRange& range) { return std::pair(range.min[0], range.max[0]); };
  CHECK(ends(cast(DType::f32, DType::boolean, TensorRange::of(-1, 1))) == std::pair(0.0, 1.0));
  CHECK(ends(cast(DType::f32, DType::boolean, TensorRange::of(0.5, 2))) == std::pair(1.0, 1.0));
  CHECK(ends(cast(DType::i32, DType::i8, TensorRange::of(0, 256))) == std::pair(-128.0, 127.0));
  CHECK(ends(cast(DType::f32, DType::i8, TensorRange::of(-1.5, 2.5))) == std::pair(-1.0, 2.0));
  CHECK(ends(cast(DType::i64, DType::f32, TensorRange::of(-3, 4))) == std::pair(-3.0, 4.0));
}

TEST_CASE("a scale of 0 is not a step", "[qonnx]") {
  Net net;
  Value& byte = net.constant(Tensor::scalar<std::int8_t>(0));
  Value& x = net.op("DequantizeLinear", {&net.input({1, 2}, DType::i8), &net.number(0), &byte});
  Value& y = net.op("MatMul", {&x, &net.constant({2, 1}, {1, 2})});
  const PropagatedRanges known = net.ranges();
  CHECK(known.find(x)->step.empty());
  CHECK(*known.find(y) == TensorRange{{0}, {0}, 1});
  CHECK(known.accumulators.empty());
}

TEST_CASE("ranges that do not fit an input are errors that name it", "[qonnx]") {
  Net net;
  net.input({2, 3});
  for (const double step : {0.0, -1.0, std::nan(""), HUGE_VAL})
    CHECK_THROWS_WITH(net.ranges({{"x0", TensorRange::of(0, 1, {step})}}),
                      Catch::Contains("x0") && Catch::Contains("step"));
  CHECK_THROWS_WITH(net.ranges({{"x0", TensorRange{{0, 0}, {1, 1}, 1}}}), Catch::Contains("2 channels along axis 1"));
  CHECK_THROWS_WITH(net.ranges({{"x0", TensorRange{{0, 0}, {1, 1}, 2}}}), Catch::Contains("no axis 2"));
  CHECK_THROWS_WITH(net.ranges({{"x0", TensorRange{{0}, {1}, 0, {1, 1}, 1}}}), Catch::Contains("x0"));
  CHECK_NOTHROW(net.ranges({{"x0", TensorRange{{0, 0}, {1, 1}, 0, {1, 1, 1}, 1}}}));
  CHECK_THROWS_WITH(net.ranges({{"c9", TensorRange::of(0, 1)}}), Catch::Contains("has a default"));
}
