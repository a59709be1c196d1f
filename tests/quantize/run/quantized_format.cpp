#include <graft/quantize/run/quantized_format.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/verify.hpp>
#include <graft/qonnx.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/tune/signal_to_noise.hpp>
#include <graft/testing/random.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

constexpr const char* net = R"(
    x: f32[1,3,8,8]; w = f32[4,3,1,1] {1, -2, 3, 0.5, 0.25, -1, 2, 1, -3, 1, 1, 1}; v = f32[2,4,1,1] 0.5;
    r = Relu(Conv(x, w, f32[4] 0.5)); y = Conv(r, v, f32[2] {0.25, -1}))";

std::vector<Feeds> noise() {
  Random random(3);
  std::vector<Feeds> samples;
  for (int i = 0; i < 8; ++i) samples.push_back({{"x", random_tensor(DType::f32, {1, 3, 8, 8}, random, {-1, 1})}});
  return samples;
}

struct Quantized {
  Model model;
  double noise = 0;  // mean squared difference to float
};

Quantized quantized(QuantizedFormat format, std::vector<qonnx::BitWidth> widths = {}) {
  Quantized result{graph(net)};
  QuantizeOptions options = QuantizeOptions::fast();
  options.placement = Placement::all_supported;
  options.format = format;
  options.bit_widths = std::move(widths);
  quantize(result.model, noise(), targets::ort_cpu_x64, options);
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

TEST_CASE("one calibration serves every format", "[quantize]") {
  const Quantized qdq = quantized(QuantizedFormat::qdq);
  REQUIRE(qdq.noise < 1e-2);
  CHECK(qonnx::format_of(qdq.model.graph()) == qonnx::Format::qdq);

  const Quantized quant = quantized(QuantizedFormat::qonnx);
  CHECK(qonnx::format_of(quant.model.graph()) == qonnx::Format::qonnx);
  CHECK(quant.noise < qdq.noise * 1.5 + 1e-6);

  const Quantized operators = quantized(QuantizedFormat::quantized_operators);
  CHECK(qonnx::format_of(operators.model.graph()) == qonnx::Format::quantized_operators);
  CHECK(operators.noise < qdq.noise * 1.5 + 1e-6);
}

TEST_CASE("tensors take any bit width in QONNX, and by Clip in QCDQ", "[quantize]") {
  const Quantized eight = quantized(QuantizedFormat::qonnx);
  const Quantized four = quantized(QuantizedFormat::qonnx, {{"r", 4}});
  const std::vector<float> widths = bit_widths(four.model);
  CHECK(std::count(widths.begin(), widths.end(), 4.0F) == 1);
  CHECK(four.noise > eight.noise);

  const Quantized clipped = quantized(QuantizedFormat::qcdq, {{"r", 4}});
  CHECK(qonnx::format_of(clipped.model.graph()) == qonnx::Format::qcdq);
  CHECK(clipped.noise == Approx(four.noise));
}

TEST_CASE("biases follow the scale of what their Conv reads", "[quantize]") {
  const Quantized four = quantized(QuantizedFormat::qonnx, {{"r", 4}});
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

TEST_CASE("a bit width of no tensor is warned of", "[quantize]") {
  Model model = graph(net);
  QuantizeOptions options = QuantizeOptions::fast();
  options.format = QuantizedFormat::qonnx;
  options.placement = Placement::all_supported;
  options.bit_widths = {{"w", 4}};
  const QuantizeResult result = quantize(model, noise(), targets::ort_cpu_x64, options);
  CAPTURE(result.passes.warnings);
  REQUIRE(result.passes.warnings.size() == 1);
  CHECK_THAT(result.passes.warnings[0], Catch::Contains("'w'"));
}

TEST_CASE("a model of QONNX is compared with the float model", "[quantize]") {
  Model model = graph(net);
  QuantizeOptions options = QuantizeOptions::fast();
  options.format = QuantizedFormat::qonnx;
  options.placement = Placement::all_supported;
  const QuantizeResult result = quantize(model, noise(), targets::ort_cpu_x64, options);
  REQUIRE(result.checked);
  CHECK(result.checked->cosine > 0.999);
  CHECK(result.passes.warnings.empty());
}

TEST_CASE("Q/DQ alone has no bit widths but 8", "[quantize]") {
  CHECK_THROWS_WITH(quantized(QuantizedFormat::qdq, {{"r", 4}}), Catch::Contains("qcdq or qonnx"));
}
