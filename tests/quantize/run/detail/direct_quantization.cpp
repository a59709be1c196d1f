#include <graft/quantize/run/detail/direct_quantization.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/verify.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

const std::string net =
    "opset 13; v = f32[32,32] random; w = f32[32,8] random; x: f32[4,32]; h = MatMul(x, v); "
    "r = Relu(h); y = MatMul(r, w)";

std::vector<Feeds> samples() {
  std::vector<Feeds> result;
  for (int i = 0; i < 8; ++i) {
    std::vector<float> values(128);
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = std::sin(static_cast<float>(i * 1000) + static_cast<float>(k));
    result.push_back({{"x", Tensor::of<float>({4, 32}, values)}});
  }
  return result;
}

QuantizeOptions with(QuantizationMode mode) {
  QuantizeOptions options;
  options.mode = std::move(mode);
  return options;
}

}  // namespace

TEST_CASE("dynamic quantization needs no samples; with some it is measured", "[mode]") {
  for (const bool measured : {false, true}) {
    Model model = graph(net);
    Context context;
    const QuantizeOptions options = with(DynamicOptions());
    const QuantizeResult result = measured ? quantize(model, samples(), targets::ort_cpu_x64, options, context)
                                           : quantize(model, targets::ort_cpu_x64, options, context);
    CHECK(verify(model).empty());
    CHECK(result.products == 2);
    REQUIRE(result.outcomes.size() == 2);
    CHECK(result.outcomes[0].node == "h");
    CHECK(result.outcomes[0].form == OperatorForm::dynamic);
    CHECK(result.pairs == 0);
    CHECK(result.audit.findings.empty());
    CHECK(result.fidelity().has_value() == measured);
    if (measured) CHECK(result.fidelity()->cosine > 0.999);
    if (measured) CHECK((result.accuracy->samples == 8 && result.accuracy->are_unseen));
    CHECK(result.held_out_samples == (measured ? 8 : 0));
  }
}

TEST_CASE("weights alone: GPTQ learns from samples that are not held out", "[mode]") {
  Model model = graph(net);
  const QuantizeResult result =
      quantize(model, samples(), targets::ort_cpu_x64, with(BlockwiseOptions{.method = BlockMethod::gptq}));
  CHECK(result.products == 2);
  CHECK(result.calibration_samples == 6);
  CHECK(result.held_out_samples == 2);
  CHECK(result.fidelity()->cosine > 0.98);
  CHECK((result.accuracy->samples == 2 && result.accuracy->are_unseen));
  CHECK(ops(model.graph()) == "MatMulNBits Relu MatMulNBits");
  Model without = graph(net);
  Context context;
  const QuantizeOptions gptq = with(BlockwiseOptions{.method = BlockMethod::gptq});
  CHECK_THROWS_WITH(quantize(without, targets::ort_cpu_x64, gptq, context), Catch::Contains("observe_gram_matrices"));
  Model standard = graph(net);
  quantize(standard, targets::ort_cpu_x64, with(BlockwiseOptions{.operators = BlockOperators::standard}), context);
  CHECK(ops(standard.graph()) == "DequantizeLinear MatMul Relu DequantizeLinear MatMul");
  CHECK(standard.opset() == 21);
}

TEST_CASE("where no product is by a constant, that is a warning", "[mode]") {
  const auto warned = [](const std::string& text, QuantizationMode mode) {
    Model model = graph(text);
    Context context;
    QuantizeOptions options = with(std::move(mode));
    options.exclude = {NamePattern("none")};
    const QuantizeResult result = quantize(model, targets::ort_cpu_x64, options, context);
    std::string all;
    for (const std::string& warning : result.passes.warnings) all += warning + "\n";
    return all;
  };
  const std::string nothing = "nothing is quantized: the model has no MatMul";
  CHECK(warned("x: f32[2,4]; y = Relu(x)", DynamicOptions()) ==
        "no node is called 'none'\n" + nothing + ", Gemm or LSTM by a constant\n");
  CHECK_THAT(warned("x: f32[2,4]; v: f32[4,2]; y = MatMul(x, v)", BlockwiseOptions()),
             Catch::Contains(nothing + " or Gemm by a constant\n"));
  CHECK_THAT(warned("x: f32[1,3,8,8]; y = Conv(x, f32[3,3,1,1] random)", DynamicOptions()),
             Catch::Contains("convolutions take static quantization"));
  CHECK_THAT(warned(net, DynamicOptions()), !Catch::Contains("nothing is quantized"));
}

namespace {

/// Multiplies x. The weights of its first two features cancel, so that these may be outliers of one value.
std::string outlier_product() {
  std::string rows = "0, 0", signs = "1, -1";
  for (int k = 2; k < 32; ++k) {
    rows += ", " + std::to_string(k);
    signs += ", 1";
  }
  return "y = MatMul(x, Mul(Gather(f32[32,8] random, i64[32] {" + rows + "}), f32[32,1] {" + signs + "}))";
}

std::vector<Feeds> samples_with(float outlier) {
  std::vector<Feeds> all = samples();
  for (Feeds& feeds : all)
    for (std::size_t i = 0; i < 128; i += 32) {
      const auto x = feeds[0].second.mutable_data<float>();
      x[i + 1] = x[i] *= outlier;
    }
  return all;
}

}  // namespace

TEST_CASE("samples show whether blocks of weights are multiplied in float32 or in int8", "[mode]") {
  const float middling = 30;  // leaves outputs that are not near to float, yet not poor either
  const auto level = [&](std::optional<int> wanted, float outlier) {
    Model model = graph("opset 13; x: f32[4,32]; " + outlier_product());
    const BlockwiseOptions blocks{.weights = {.bits = 8}, .accuracy_level = wanted};
    const QuantizeResult result = quantize(model, samples_with(outlier), targets::ort_cpu_x64, with(blocks));
    for (const OperatorOutcome& one : result.outcomes) CHECK(one.form == OperatorForm::weight_only);
    CHECK(result.trials.size() == (wanted || outlier <= middling ? 1 : 2));
    if (outlier == middling) CHECK_FALSE((result.fidelity()->is_near() || result.fidelity()->is_poor()));
    for (const QuantizeTrial& trial : result.trials) CHECK(trial.fidelity.cosine <= result.fidelity()->cosine);
    return first(model.graph(), "com.microsoft::MatMulNBits").attr<std::int64_t>("accuracy_level").value();
  };
  CHECK(level({}, 1) == 4);
  CHECK(level({}, middling) == 4);
  CHECK(level({}, 300) == 1);
  CHECK(level(4, 300) == 4);
}

TEST_CASE("the level that is chosen keeps the notes about products in float", "[mode]") {
  Model model =
      graph("opset 13; x: f32[4,32]; z = MatMul(x, f32[32,8] random); " + outlier_product() + "; return y, z");
  QuantizeOptions options = with(BlockwiseOptions{.weights = {.bits = 8}});
  options.exclude = {NamePattern("z")};
  const QuantizeResult result = quantize(model, samples_with(300), targets::ort_cpu_x64, options);
  CHECK(first(model.graph(), "com.microsoft::MatMulNBits").attr<std::int64_t>("accuracy_level") == 1);
  CHECK(result.products == 1);
  REQUIRE(result.outcomes.size() == 2);
  for (const OperatorOutcome& one : result.outcomes)
    CHECK(one.form == (one.node == "z" ? OperatorForm::in_float : OperatorForm::weight_only));
}

TEST_CASE("products of blocks that another tool has made keep their accuracy level", "[mode]") {
  Model model = graph(
      "opset 13; x: f32[4,32]; b = com.microsoft::MatMulNBits(x, u8[8,1,16] 153, f32[8] 1) {K=32, N=8, "
      "bits=4, block_size=32, accuracy_level=4}; " +
      outlier_product() + "; return b, y");
  quantize(model, samples_with(300), targets::ort_cpu_x64, with(BlockwiseOptions{.weights = {.bits = 8}}));
  const auto level = [&](const char* name) {
    return model.graph().find(name)->producer()->attr<std::int64_t>("accuracy_level");
  };
  CHECK(level("b") == 4);
  CHECK(level("y") == 1);
}

TEST_CASE("what is excluded stays in float, with the reason", "[mode]") {
  Model model = graph(net);
  QuantizeOptions options = with(DynamicOptions());
  options.exclude = {NamePattern("y")};
  const QuantizeResult result = quantize(model, samples(), targets::ort_cpu_x64, options);
  CHECK(result.products == 1);
  REQUIRE(result.outcomes.size() == 2);
  CHECK(result.outcomes[0].form == OperatorForm::in_float);
  CHECK(result.outcomes[0].text == "it is excluded by name");
  CHECK(result.outcomes[1].form == OperatorForm::dynamic);
}

TEST_CASE("samples that are gone through once serve GPTQ, or measure, but not both", "[mode]") {
  const auto once = [] {
    return SampleStream([n = std::size_t{0}, all = samples()]() mutable -> std::optional<Sample> {
      if (n == all.size()) return std::nullopt;
      return Sample(all[n++], "a sample");
    });
  };
  QuantizeOptions options = with(BlockwiseOptions{.method = BlockMethod::gptq});
  Model model = graph(net), measured = graph(net);
  SampleStream stream = once(), other = once(), third = once();
  CHECK_THROWS_WITH(quantize(model, stream, targets::ort_cpu_x64, options), Catch::Contains("only once"));
  options.compare = false;
  CHECK(quantize(model, other, targets::ort_cpu_x64, options).calibration_samples == 8);
  CHECK(quantize(measured, third, targets::ort_cpu_x64, with(DynamicOptions())).fidelity().has_value());
}

TEST_CASE("GPTQ runs no sample where no product is by a constant", "[mode]") {
  const QuantizeOptions options = with(BlockwiseOptions{.method = BlockMethod::gptq});
  Model model = graph("x: f32[N,8]; y = Relu(x)");
  const std::vector<Feeds> some(5, Feeds{{"x", Tensor(DType::f32, {2, 8})}});
  const QuantizeResult result = quantize(model, some, targets::ort_cpu_x64, options);
  CHECK(result.products == 0);
  CHECK(result.calibration_samples == 0);
}

TEST_CASE("samples that GPTQ could not read are listed", "[mode]") {
  std::vector<std::optional<Sample>> torn;
  for (const Feeds& feeds : samples()) torn.emplace_back(Sample(feeds));
  torn[1] = std::nullopt;
  struct Torn {
    const std::vector<std::optional<Sample>>& all;
    std::size_t size() const { return all.size(); }
    Sample operator[](std::size_t i) const { return all[i] ? *all[i] : throw Error("is torn").file("1"); }
    struct Iterator {
      const Torn* torn;
      std::size_t i;
      Sample operator*() const { return (*torn)[i]; }
      Iterator& operator++() { return ++i, *this; }
      bool operator==(const Iterator& other) const { return i == other.i; }
    };
    Iterator begin() const { return {this, 0}; }
    Iterator end() const { return {this, size()}; }
  };
  Model model = graph(net);
  QuantizeOptions options = with(BlockwiseOptions{.method = BlockMethod::gptq});
  options.compare = false;
  const QuantizeResult result =
      quantize(model, SampleSource(Torn{torn}).skipping_unreadable(), targets::ort_cpu_x64, options);
  CHECK(result.unreadable == std::vector<std::string>{"1: is torn"});
}
