#include <graft/qonnx/convert/qdq_to_format.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/verify.hpp>
#include <graft/qonnx.hpp>
#include <graft/quantize/run/check_outputs.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/tune/signal_to_noise.hpp>
#include <graft/testing/text.hpp>

#include "support/uniform_samples.hpp"

using namespace graft;

namespace {

constexpr const char* net = R"(
    x: f32[1,3,8,8]; w = f32[4,3,1,1] {1, -2, 3, 0.5, 0.25, -1, 2, 1, -3, 1, 1, 1}; v = f32[2,4,1,1] 0.5;
    r = Relu(Conv(x, w, f32[4] 0.5)); y = Conv(r, v, f32[2] {0.25, -1}))";

const std::vector<Feeds>& noise() {
  static const std::vector<Feeds> samples = uniform_samples(8, {1, 3, 8, 8});
  return samples;
}

struct Quantized {
  Model model;
  double noise = 0;  // mean squared difference to float
};

Quantized quantized(qonnx::Format format, std::vector<qonnx::BitWidth> widths = {}, int weight_bits = 8,
                    std::vector<ActivationOverride> activations = {}) {
  Quantized result{graph(net)};
  QuantizeOptions options = QuantizeOptions::fast();
  options.static_options().placement = Placement::all_supported;
  options.static_options().weights = WeightForm(Granularity::per_channel, weight_bits);
  options.static_options().activation_overrides = std::move(activations);
  quantize(result.model, noise(), targets::ort_cpu_x64, options);
  qonnx::qdq_to_format(format, std::move(widths)).run(result.model);
  CHECK(verify(result.model).empty());
  const Model exact = graph(net);
  const Feeds feeds = noise()[1];
  const std::vector<float> one = Evaluator(exact.graph()).run(feeds).front().to<float>();
  const std::vector<float> other = Evaluator(result.model.graph(), qonnx::kernels()).run(feeds).front().to<float>();
  for (std::size_t i = 0; i < one.size(); ++i)
    result.noise += static_cast<double>(one[i] - other[i]) * (one[i] - other[i]) / static_cast<double>(one.size());
  return result;
}

std::vector<float> bit_widths(const Model& model) {
  std::vector<float> widths;
  for (const Node& node : model.graph().nodes())
    if (qonnx::is_quant(node)) widths.push_back(qonnx::quantizer_of(node)->bits.item<float>());
  return widths;
}

}  // namespace

TEST_CASE("one calibration serves every format", "[qonnx]") {
  const Quantized qdq = quantized(qonnx::Format::qdq);
  REQUIRE(qdq.noise < 1e-2);
  CHECK(qonnx::format_of(qdq.model.graph()) == qonnx::Format::qdq);

  const Quantized quant = quantized(qonnx::Format::qonnx);
  CHECK(qonnx::format_of(quant.model.graph()) == qonnx::Format::qonnx);
  CHECK(quant.noise < qdq.noise * 1.5 + 1e-6);

  const Quantized operators = quantized(qonnx::Format::quantized_operators);
  CHECK(qonnx::format_of(operators.model.graph()) == qonnx::Format::quantized_operators);
  CHECK(operators.noise < qdq.noise * 1.5 + 1e-6);
}

TEST_CASE("tensors take any bit width in QONNX, and by Clip in QCDQ", "[qonnx]") {
  const Quantized eight = quantized(qonnx::Format::qonnx);
  const Quantized four = quantized(qonnx::Format::qonnx, {{"r", 4}});
  const std::vector<float> widths = bit_widths(four.model);
  CHECK(std::count(widths.begin(), widths.end(), 4.0F) == 1);
  CHECK(four.noise > eight.noise);

  const Quantized clipped = quantized(qonnx::Format::qcdq, {{"r", 4}});
  CHECK(qonnx::format_of(clipped.model.graph()) == qonnx::Format::qcdq);
  CHECK(clipped.noise == Approx(four.noise));
}

TEST_CASE("static quantization gives weights and activations any bits", "[qonnx]") {
  double least = 0;
  const std::vector<std::pair<int, int>> widths{{8, 8}, {3, 8}, {4, 4}, {2, 8}, {5, 3}};
  for (const auto& [weights, activations] : widths) {
    INFO(weights << " " << activations);
    const std::vector<ActivationOverride> overrides{{".*", {}, activations}};
    const Quantized quant = quantized(qonnx::Format::qonnx, {}, weights, overrides);
    std::size_t of_weights = 0, of_activations = 0;
    for (const Node& node : quant.model.graph().nodes()) {
      if (!qonnx::is_quant(node)) continue;
      const auto bits = static_cast<int>(qonnx::quantizer_of(node)->bits.item<float>());
      if (!node.input(0)->is_constant()) of_activations += bits == activations;
      else if (bits != 32) of_weights += bits == weights || bits == weights - 1;  // one has no weights below 0
    }
    CHECK(of_weights == 2);
    CHECK(of_activations == 3);
    CHECK(quant.noise > least);
    if (weights == 8) least = quant.noise;

    Quantized clipped = quantized(qonnx::Format::qcdq, {}, weights, overrides);
    CHECK(qonnx::format_of(clipped.model.graph()) == qonnx::Format::qcdq);
    CHECK(clipped.noise == Approx(quant.noise));
  }
}

TEST_CASE("biases follow the scale of what their Conv reads", "[qonnx]") {
  const Quantized four = quantized(qonnx::Format::qonnx, {{"r", 4}});
  std::size_t checked = 0;
  for (const Node& node : four.model.graph().nodes()) {
    if (!node.is("Conv")) continue;
    const auto scales = [&](std::size_t i) {
      return qonnx::quantizer_of(*node.input(i)->producer())->scale.to<float>();
    };
    const std::vector<float> weights = scales(1), biases = scales(2);
    REQUIRE(weights.size() == biases.size());
    for (std::size_t i = 0; i < weights.size(); ++i) CHECK(biases[i] == scales(0)[0] * weights[i]);
    ++checked;
  }
  CHECK(checked == 2);
}

TEST_CASE("a bit width of no tensor is noted", "[qonnx]") {
  Model model = graph("x: f32[4]; y = DequantizeLinear(QuantizeLinear(x, f32[] 1, u8[] 0), f32[] 1, u8[] 0)");
  const Report report = qonnx::qdq_to_format(qonnx::Format::qonnx, {{"w", 4}}).run(model);
  REQUIRE(report.step("set_bit_widths") != nullptr);
  CHECK(report.step("set_bit_widths")->notes == std::vector<std::string>{"no Quant is of an activation 'w'"});
}

TEST_CASE("a model of QONNX is compared with the float model", "[qonnx]") {
  Model floats = graph(net);
  Context context;
  Report report;
  const auto with_quant = [](const Graph& graph) { return Evaluator(graph, qonnx::kernels()); };
  Model model = quantized(qonnx::Format::qonnx).model;
  const auto fidelity = check_outputs(floats, model, noise(), context, report, with_quant);
  REQUIRE(fidelity);
  CHECK(fidelity->cosine > 0.999);
  CHECK(report.warnings.empty());
}

TEST_CASE("Q/DQ alone has no bit widths but 8", "[qonnx]") {
  CHECK_THROWS_WITH(quantized(qonnx::Format::qdq, {{"r", 4}}), Catch::Contains("QCDQ or QONNX"));
  CHECK_THROWS_WITH(qonnx::qdq_to_format(qonnx::Format::mixed), Catch::Contains("the format mixed"));
}
