#include <graft/quantize/prepare/input_scales.hpp>

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/prepare/float_islands.hpp>
#include <graft/quantize/run/prepare_model.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/rewrite/pass.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

constexpr std::int64_t features = 16, hidden = 32;

std::vector<float> normal(std::size_t count, unsigned seed, float deviation = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> distribution(0, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(random);
  return values;
}

/// Of each feature: from 0.001 to 1000.
std::vector<float> units() {
  std::vector<float> values;
  for (std::int64_t k = 0; k < features; ++k)
    values.push_back(static_cast<float>(std::pow(10, static_cast<double>(k * 7 % 16) * 0.4 - 3)));
  return values;
}

enum class Front { none, div, mul, normalization };

/// A net over features of different units: x [N, features] -> Gemm -> Relu -> Gemm, where the units are taken away in
/// front, or were folded into the first weight.
Model tabular(Front front) {
  Builder builder(13);
  Value* x = &builder.input("x", DType::f32, {"N", features});
  const std::vector<float> by = units();
  std::vector<float> inverse, square, w1 = normal(features * hidden, 1, 0.3f);
  for (const float unit : by) {
    inverse.push_back(1 / unit);
    square.push_back(unit * unit);
  }
  auto constant = [&, number = 0](Tensor tensor) mutable {
    return &builder.constant(std::move(tensor), "c" + std::to_string(number++));
  };
  auto list = [&](const std::vector<float>& values) { return constant(Tensor::list(values)); };
  auto matrix = [&](std::int64_t rows, std::int64_t columns, const std::vector<float>& values) {
    return constant(Tensor::of<float>({rows, columns}, values));
  };
  if (front == Front::div) x = &builder.op("Div", {x, list(by)});
  if (front == Front::mul) x = &builder.op("Mul", {x, list(inverse)});
  if (front == Front::normalization)
    x = &builder.op("BatchNormalization", {x, list(std::vector<float>(features, 1)), list(std::vector<float>(features)),
                                           list(std::vector<float>(features)), list(square)});
  if (front == Front::none)
    for (std::size_t i = 0; i < w1.size(); ++i) w1[i] *= inverse[i / hidden];
  Value& first = builder.op("Gemm", {x, matrix(features, hidden, w1), list(normal(hidden, 2, 0.1f))});
  Value& active = builder.op("Relu", {&first});
  Value& last = builder.op("Gemm", {&active, matrix(hidden, 8, normal(hidden * 8, 3)), list(normal(8, 4, 0.1f))});
  builder.output(last);
  return builder.build();
}

std::vector<Feeds> samples() {
  std::vector<Feeds> all;
  const std::vector<float> by = units();
  for (unsigned seed = 0; seed < 8; ++seed) {
    std::vector<float> values = normal(8 * features, 10 + seed);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= by[i % features];
    all.push_back({{"x", Tensor::of<float>({8, features}, values)}});
  }
  return all;
}

double cosine(const Model& floats, const Model& quantized) {
  double product = 0, a = 0, b = 0;
  Evaluator of_floats(floats.graph()), of_quantized(quantized.graph());
  for (const Feeds& feeds : samples()) {
    const std::vector<float> exact = of_floats.run(feeds, {floats.graph().outputs()[0]})[0].to<float>();
    const std::vector<float> rounded = of_quantized.run(feeds, {quantized.graph().outputs()[0]})[0].to<float>();
    for (std::size_t i = 0; i < exact.size(); ++i) {
      product += double{exact[i]} * rounded[i];
      a += double{exact[i]} * exact[i];
      b += double{rounded[i]} * rounded[i];
    }
  }
  return product / std::sqrt(a * b);
}

double cosine_of(Front front, const QuantizeOptions& options) {
  Model floats = tabular(front);
  Model quantized = floats.clone();
  const std::vector<Feeds> all = samples();
  Context context;
  quantize(quantized, all, targets::ort_cpu_x64, options, context);
  return cosine(floats, quantized);
}

std::string ops_of(Model& model) {
  Context context;
  even_out_input_weights().run(model, context);
  return ops(model.graph());
}

}  // namespace

TEST_CASE("features of different units are quantized as near as features of one", "[quantize]") {
  for (const Front front : {Front::none, Front::div, Front::mul, Front::normalization}) {
    CAPTURE(static_cast<int>(front));
    QuantizeOptions dynamic, blocks, of_four_bits, fast = QuantizeOptions::fast(), all = fast;
    dynamic.mode = DynamicOptions();
    blocks.mode = BlockwiseOptions{.weights = {.bits = 8}};
    of_four_bits.mode = BlockwiseOptions{.weights = {.bits = 4}};
    all.static_options().placement = Placement::all_supported;
    CHECK(cosine_of(front, dynamic) > 0.999);
    CHECK(cosine_of(front, blocks) > 0.9995);
    CHECK(cosine_of(front, of_four_bits) > 0.99);
    CHECK(cosine_of(front, fast) > 0.998);
    CHECK(cosine_of(front, all) > 0.998);
    CHECK(cosine_of(front, QuantizeOptions()) > 0.998);
  }
}

TEST_CASE("weights of an input whose rows differ much are evened out exactly", "[quantize]") {
  Model before = tabular(Front::none);
  Model model = before.clone();
  Context context;
  const Report report = even_out_input_weights().run(model, context);
  CHECK(report.changes == 1);
  REQUIRE(ops(model.graph()) == "Mul Gemm Relu Gemm");
  const Node& mul = first(model.graph(), "Mul");
  CHECK(context.facts.value_or_default<KeptInFloat>().holds(mul));
  for (const float factor : mul.input(1)->constant()->to<float>())
    CHECK(std::exp2(std::round(std::log2(factor))) == factor);
  for (const Feeds& feeds : samples()) {
    const Tensor expected = Evaluator(before.graph()).run(feeds, {before.graph().outputs()[0]})[0];
    CHECK(Evaluator(model.graph()).run(feeds, {model.graph().outputs()[0]})[0].to<float>() == expected.to<float>());
  }
  CHECK(even_out_input_weights().run(model, context).changes == 0);
}

TEST_CASE("weights that are even, excluded or shared stay as they are", "[quantize]") {
  Model even = tabular(Front::div);
  CHECK(ops_of(even) == "Div Gemm Relu Gemm");

  Model excluded = tabular(Front::none);
  Context context;
  (exclude_nodes({NamePattern("Gemm.*")}) | even_out_input_weights()).run(excluded, context);
  CHECK(ops(excluded.graph()) == "Gemm Relu Gemm");

  Net net;
  Value& w = net.constant("w", {1, 1, 1000, 1000}, {2, 2, 1, 1});
  Value& narrow = net.constant("v", {1, 1000, -1, 900}, {2, 2, 1, 1});
  Value& y = net.op("Conv", {net.x, &w}, "y");  // outputs, which have scales of their own, differ
  Value& z = net.op("Conv", {net.x, &narrow}, "z");
  Value& t = net.op("Conv", {&net.op("Relu", {net.x}, "a"), &narrow}, "t");
  Model shared = net.build({&y, &z, &t});
  CHECK(ops_of(shared) == ops(shared.graph()));
  CHECK(count(shared.graph(), "Mul") == 0);
}

TEST_CASE("several products of an input share the factors", "[quantize]") {
  Net net;
  Value& y = net.op("Conv", {net.x, &net.constant("w", {1, 1000, -1, 900}, {2, 2, 1, 1})}, "y");
  Value& z = net.op("Conv", {net.x, &net.constant("v", {0.5f, 800, -1, 1000}, {2, 2, 1, 1})}, "z");
  Model model = net.build({&y, &z});
  CHECK(ops_of(model) == "Mul Conv Conv");
  CHECK(first(model.graph(), "Mul").input(1)->constant()->dims() == Dims{2, 1, 1});
}

TEST_CASE("what brings an input to one scale stays in float, with all in front of it", "[quantize]") {
  Net net;
  Value& shift = net.op("Sub", {net.x, &net.constant("mean", {3, 2000}, {2, 1, 1})}, "shift");
  Value& scale = net.op("Mul", {&shift, &net.constant("by", {1, 0.001f}, {2, 1, 1})}, "scale");
  Value& even = net.op("Mul", {&net.op("Relu", {&scale}, "a"), &net.constant("c", {1, 0.001f}, {2, 1, 1})}, "even");
  Model model = net.build({&net.conv(even)});
  Context context;
  CHECK(keep_input_scales_in_float().run(model, context).changes == 2);
  const KeptInFloat kept = context.facts.value_or_default<KeptInFloat>();
  CHECK(kept.holds(node_making(model, "shift")));
  CHECK(kept.holds(node_making(model, "scale")));
  CHECK_FALSE(kept.holds(node_making(model, "even")));

  Net image;
  Value& scaled = image.op("Mul", {image.x, &image.constant("by", {4.4f, 4.5f}, {2, 1, 1})}, "scale");
  Model plain = image.build({&image.conv(scaled)});
  CHECK(keep_input_scales_in_float().run(plain, context).changes == 0);
}

TEST_CASE("a BatchNormalization over features that lie far apart becomes no convolution", "[quantize]") {
  for (const float variance : {1.5f, 1e6f}) {
    Net net;
    Value& normal = net.op("BatchNormalization",
                           {net.x, &net.constant("s", {1, 1}, {2}), &net.constant("b", {0, 0}, {2}),
                            &net.constant("m", {0, 0}, {2}), &net.constant("v", {1, variance}, {2})},
                           "n");
    Value& y = net.op("Conv", {&normal, &net.constant("w", std::vector<float>(36, 0.1f), {2, 2, 3, 3})}, "y",
                      {{"pads", Ints{1, 1, 1, 1}}});
    Model model = net.build({&y});
    float_islands(targets::ort_cpu_x64).run(model);
    CHECK(ops(model.graph()) == (variance > 2 ? "BatchNormalization Conv" : "Conv Conv"));
  }
}
