// The integers that reconstruct() learned are those of every format that they are written in.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/verify.hpp>
#include <graft/lower/gemm.hpp>
#include <graft/qdq/matmul_to_nbits.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/qonnx.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/surgery/raise_opset.hpp>
#include <graft/testing/text.hpp>

#include "support/uniform_samples.hpp"

using namespace graft;

namespace {

const Target& target = targets::ort_cpu_x64;

constexpr const char* net =
    "x: f32[1,4,6,6]; v = f32[8,4,3,3] random; w = f32[8,8,1,1] random; u = f32[288,5] random; "
    "a = Relu(Conv(x, v, f32[8] random) {pads=[1,1,1,1]}); b = Conv(a, w); "
    "y = MatMul(Reshape(b, i64[2] {1, 288}), u)";

const std::vector<Feeds>& samples() {
  static const std::vector<Feeds> all = uniform_samples(8, {1, 4, 6, 6});
  return all;
}

QuantizeResult quantized(Model& model, StaticOptions options, const Target& runtime = target) {
  options.placement = Placement::all_supported;
  options.ranges = MinMax();
  options.mix_forms = options.equalize = options.smooth = options.correct_biases = false;
  options.search_runs = 0;
  return quantize(model, samples(), runtime, {.mode = options, .fuse_transformers = false, .compare = false});
}

Model learned(int bits, int activation_bits = 8) {
  Model model = graph(net);
  StaticOptions options{.weights = WeightForm(Granularity::per_channel, bits)};
  if (activation_bits != 8) options.activation_overrides = {{".*", {}, activation_bits}};
  options.reconstruct.emplace();
  CHECK(quantized(model, options).reconstructed->learned() >= 2);
  return model;
}

/// Of the weights, in the order of the graph.
std::vector<std::vector<std::int32_t>> integers(const Model& model) {
  std::vector<std::vector<std::int32_t>> all;
  for (const Node& node : model.graph().nodes()) {
    if (!node.is("Conv") && !node.is("MatMul")) continue;
    const Node* from = node.input(1)->producer();
    REQUIRE(from != nullptr);
    std::vector<std::int32_t>& of_node = all.emplace_back();
    if (qonnx::is_quant(*from)) {
      const qonnx::Quantizer quantizer = *qonnx::quantizer_of(*from);
      const std::vector<float> values = from->input(0)->constant()->to<float>(), scales = quantizer.scale.to<float>();
      const std::size_t channels = scales.size(), count = values.size();
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t channel = node.is("Conv") ? i / (count / channels) : i % channels;
        of_node.push_back(static_cast<std::int32_t>(std::lrint(values[i] / scales[channel])));
      }
      continue;
    }
    const Value* data = from->input(0);
    if (data->producer() != nullptr && data->producer()->is("Clip")) data = data->producer()->input(0);
    of_node = data->constant()->to<std::int32_t>();
  }
  return all;
}

std::vector<float> outputs(const Model& model) {
  return Evaluator(model.graph(), qonnx::kernels()).run(samples()[1]).front().to<float>();
}

}  // namespace

TEST_CASE("learned integers are the same in every format, and back", "[qonnx]") {
  for (const auto& [bits, activation_bits] : std::vector<std::pair<int, int>>{{2, 8}, {3, 8}, {4, 4}, {8, 8}}) {
    INFO(bits << " " << activation_bits);
    Model model = learned(bits, activation_bits);
    const auto wanted = integers(model);
    const std::vector<float> expected = outputs(model);
    REQUIRE(wanted.size() == 3);
    const auto expect_same = [&](Model& other) {
      CHECK(verify(other).empty());
      CHECK(integers(other) == wanted);
      const std::vector<float> got = outputs(other);
      for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == Approx(expected[i]).margin(1e-5));
    };
    Model quant = model.clone(), clipped = model.clone();
    qonnx::qdq_to_format(qonnx::Format::qonnx).run(quant);
    CHECK(qonnx::format_of(quant.graph()) == qonnx::Format::qonnx);
    expect_same(quant);
    qonnx::qdq_to_format(qonnx::Format::qcdq).run(clipped);
    expect_same(clipped);
    Model again = quant.clone();
    qonnx::quant_to_qcdq({.zero_points = qonnx::ZeroPoints::any}).run(again);
    expect_same(again);
    qonnx::qdq_to_quant().run(clipped);
    CHECK(qonnx::format_of(clipped.graph()) == qonnx::Format::qonnx);
    expect_same(clipped);
  }
}

TEST_CASE("learned integers of few bits are stored in int4 and int2", "[qonnx]") {
  for (const auto& [bits, opset, dtype] :
       std::vector<std::tuple<int, int, DType>>{{4, 21, DType::i4}, {3, 21, DType::i4}, {2, 25, DType::i2}}) {
    INFO(bits);
    Model model = learned(bits);
    Model narrow = model.clone();
    (qonnx::qdq_to_format(qonnx::Format::qonnx) | raise_opset(opset) |
     qonnx::quant_to_qdq({.narrow_types = true, .zero_points = qonnx::ZeroPoints::any}))
        .run(narrow);
    CHECK(qonnx::format_of(narrow.graph()) == qonnx::Format::qdq);
    CHECK(narrow.graph().opset() == opset);
    for (const Node& node : narrow.graph().nodes())
      if (node.is("Conv") || node.is("MatMul")) CHECK(node.input(1)->producer()->input(0)->dtype() == dtype);
    CHECK(integers(narrow) == integers(model));
    const std::vector<float> got = outputs(narrow), expected = outputs(model);
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == Approx(expected[i]).margin(1e-5));

    onnx::ModelProto proto;
    REQUIRE(proto.ParseFromString(narrow.serialize()));
    Model read(std::move(proto));
    CHECK(integers(read) == integers(model));
    qonnx::qdq_to_quant().run(read);
    CHECK(integers(read) == integers(model));
  }
}

TEST_CASE("learned integers of products are those of MatMulNBits", "[qonnx]") {
  for (const int bits : {2, 4, 8}) {
    INFO(bits);
    Model model = learned(bits);
    Model blocks = model.clone();
    CHECK(matmuls_to_nbits().run(blocks).changes == 1);
    std::vector<std::int32_t> codes;
    for (const Node& node : blocks.graph().nodes()) {
      if (!node.is("com.microsoft::MatMulNBits")) continue;
      REQUIRE(node.attr<std::int64_t>("bits") == bits);
      const std::vector<std::uint8_t> bytes = node.input(1)->constant()->to<std::uint8_t>();
      const std::size_t row = bytes.size() / 5;
      codes.resize(288 * 5);
      for (std::size_t n = 0; n < 5; ++n)
        for (std::size_t k = 0; k < 288; ++k) {
          const std::size_t bit = k * static_cast<std::size_t>(bits);
          codes[k * 5 + n] = ((bytes[n * row + bit / 8] >> bit % 8) & ((1 << bits) - 1)) - (1 << (bits - 1));
        }
    }
    CHECK(codes == integers(model)[2]);
    const std::vector<float> got = outputs(blocks), expected = outputs(model);
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == Approx(expected[i]).margin(1e-4));
  }
}

TEST_CASE("a budget counts the bit operations that QONNX counts", "[qonnx]") {
  Model model = graph(net);
  const double products = 36 * (8 * 36 + 8 * 8) + 288 * 5;
  const Target& around_zero = targets::tensorrt;  // QONNX counts tensors with other zero points as floats
  const QuantizeResult result = quantized(model, {.bit_budget = BitBudget{.at_most = products * 20}}, around_zero);
  REQUIRE(result.bit_widths);
  CHECK(result.bit_widths->cost <= products * 20);
  CHECK(result.bit_widths->cost > products * 15);
  qonnx::qdq_to_format(qonnx::Format::qonnx).run(model);
  CHECK(qonnx::inference_cost(model.graph(), {.discount_sparsity = false}).total.total_bops() ==
        result.bit_widths->cost);

  Model bytes = graph(net);
  const double weights = 8 * 36 + 8 * 8 + 288 * 5;
  const QuantizeResult fitted = quantized(bytes, {.bit_budget = BitBudget{BitCost::bytes, weights * 4 / 8}});
  CHECK(fitted.bit_widths->cost <= weights / 2);
  qonnx::qdq_to_format(qonnx::Format::qonnx).run(bytes);
  CHECK(qonnx::inference_cost(bytes.graph(), {.discount_sparsity = false}).total.weight_bits() / 8 ==
        fitted.bit_widths->cost);
}
