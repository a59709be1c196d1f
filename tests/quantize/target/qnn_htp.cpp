#include <graft/quantize/target/qnn_htp.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/qdq/qdq.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/calibrate/observers/from_histogram.hpp>
#include <graft/quantize/calibrate/range_method.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/graph/name_pattern.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/surgery/shapes.hpp>
#include <graft/testing/lint_target.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

std::string codes_of_errors(const std::string& text) {
  std::string codes;
  const Model model = graph(text);
  for (const OperatorOutcome& finding : audit(model.graph(), targets::qnn_htp).findings)
    if (finding.severity == Severity::error)
      codes += finding.op + " " + std::string(finding.code) + ", " + std::string(to_string(finding.form)) + "; ";
  return codes;
}

const std::string head =
    "opset 21; x: f32[1,2,4,4]; s = f32[] 0.1; z = u8[] 128; z0 = u8[] 0; ws = f32[2] {0.01, 0.02}; "
    "d = DequantizeLinear(QuantizeLinear(x, s, z), s, z); v = DequantizeLinear(i8[2,2,1,1] 1, ws) {axis=0}; ";

}  // namespace

TEST_CASE("a kernel of QNN that is not used leaves its DequantizeLinear alone", "[quantize]") {
  CHECK(lint(targets::qnn_htp));
  CHECK(codes_of_errors(head + "y = QuantizeLinear(Conv(d, v), s, z)").empty());
  const std::string alone = "DequantizeLinear lone_dequantizer, left to another backend; ";
  CHECK(codes_of_errors(head + "y = Conv(d, v)") == alone);
  CHECK(codes_of_errors(head + "y = QuantizeLinear(Relu(Conv(d, v)), s, z)") == alone);
  CHECK(codes_of_errors(head + "y = QuantizeLinear(Relu(Conv(d, v)), s, z0)").empty());
  CHECK(codes_of_errors(head + "y = QuantizeLinear(LeakyRelu(Conv(d, v)), s, z)") == alone);
  // Of one scale it stands alone, and the operator is computed in float.
  const std::string one_scale = "opset 21; x: f32[1,4]; y = MatMul(x, DequantizeLinear(i8[4,2] 1, f32[] 0.1))";
  CHECK(codes_of_errors(one_scale).empty());
}

TEST_CASE("extents that vary are left out of QNN", "[quantize]") {
  CHECK(codes_of_errors("opset 21; x: f32[1,4]; y = Relu(x)").empty());
  CHECK(codes_of_errors("opset 21; x: f32[n,4]; y = Relu(x)") == "Relu unknown_shape, left to another backend; ");
  // Shapes of known extents are computed when the model is loaded.
  CHECK(codes_of_errors("opset 21; x: f32[2,4]; n = Shape(x); h = Slice(n, i64[1] 0, i64[1] 1); "
                        "y = Reshape(x, Concat(h, i64[1] -1) {axis=0})")
            .empty());
}

namespace {

/// With ranges of -4 to 4.
Model placed(const std::string& text, const Target& target, const Pass& before = infer_shapes()) {
  Model model = graph(text);
  Ranges ranges;
  for (const Node& node : model.graph().nodes()) ranges.set(std::string(node.output(0)->name()), {-4, 4});
  for (const Value* const input : model.graph().inputs()) ranges.set(std::string(input->name()), {-4, 4});
  Context context;
  (before | inject_qdq(ranges, target, Placement::min_cost) | quantize_weights(Granularity::per_channel, target))
      .run(model, context);
  return model;
}

const std::string attention =
    "opset 21; q: f32[1,2,4,8]; k: f32[1,4,2,8]; v: f32[1,2,4,8]; u = f32[8] random; g = f32[8,8] random; "
    "t = Transpose(k) {perm=[0,2,3,1]}; s = MatMul(q, t); p = Softmax(s); a = MatMul(p, v); n = Add(a, q); "
    "l = LayerNormalization(n, u, u); y = MatMul(l, g)";

}  // namespace

TEST_CASE("every operator is a unit of QNN", "[quantize]") {
  for (const DType dtype : {DType::u8, DType::u16}) {
    const Target target = with_activations(targets::qnn_htp, dtype);
    const Model model = placed(attention, target);
    std::size_t units = 0;
    for (const OperatorOutcome& finding : audit(model.graph(), target).findings) {
      INFO(to_string(finding));
      CHECK(finding.severity <= Severity::info);
      units += finding.fused() && !finding.op.ends_with("Linear");
    }
    CHECK(units >= 6);
    const Node& norm = node_making(model, "l");
    CHECK(quantized_dtype(*norm.input(1)->producer()) == DType::u8);
    CHECK(quantized_dtype(*norm.input(2)->producer()) == DType::i32);
    // The second factor of a product is int16 beside uint16.
    const DType factor = dtype == DType::u16 ? DType::i16 : DType::u8;
    CHECK(quantized_dtype(*node_making(model, "s").input(1)->producer()) == factor);
    CHECK(quantized_dtype(*node_making(model, "a").input(1)->producer()) == factor);
    CHECK(quantized_dtype(*node_making(model, "s").input(0)->producer()) == dtype);
    // The name of the output went to the DequantizeLinear.
    const Node& last = *node_making(model, "y").input(0)->producer()->input(0)->producer();
    CHECK(quantized_dtype(*last.input(1)->producer()) == DType::i8);
  }
}

TEST_CASE("what QNN computes wrong stays in float between quantizers", "[quantize]") {
  const std::string text =
      "opset 21; x: f32[1,2,6,6]; r = Sigmoid(x); p = AveragePool(r) {kernel_shape=[3,3], ceil_mode=1, strides=[2,2]}; "
      "y = Tanh(p)";
  const Model model = placed(text, targets::qnn_htp);
  for (const OperatorOutcome& finding : audit(model.graph(), targets::qnn_htp).findings)
    CHECK(finding.severity != Severity::error);
  CHECK(ops(model.graph()).find("AveragePool Max QuantizeLinear") != std::string::npos);
  const std::string convs = "opset 21; x: f32[1,2,4,4]; w = f32[2,2,1,1] random; a = Conv(x, w); b = Conv(a, w); "
                            "y = Conv(b, w)";
  const Model kept = placed(convs, targets::qnn_htp, exclude_nodes({NamePattern("Conv(b)")}));
  for (const OperatorOutcome& finding : audit(kept.graph(), targets::qnn_htp).findings) {
    INFO(to_string(finding));
    CHECK(finding.severity != Severity::error);
    CHECK((finding.fused() || finding.node == "Conv(b)" || finding.op == "Max"));
  }
}

namespace {

/// Quantizes x: f32[1,2,8,8] with mixed activations.
QuantizeResult mixed(Model& model, StaticOptions statics) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<Feeds> samples;
  for (int i = 0; i < 12; ++i) {
    Tensor x(DType::f32, {1, 2, 8, 8});
    for (float& element : x.mutable_data<float>()) element = normal(random);
    samples.push_back({{"x", x}});
  }
  statics.activations = Activations::mixed;
  statics.search_runs = 0;
  return quantize(model, samples, targets::qnn_htp, {.mode = statics});
}

/// The names of its trials.
std::vector<std::string> mixed_trials(const char* text, const StaticOptions& statics) {
  Model model = graph(text);
  std::vector<std::string> names;
  for (const QuantizeTrial& trial : mixed(model, statics).trials) names.push_back(trial.name);
  return names;
}

}  // namespace

TEST_CASE("mixed activations are compared without what makes up for 8 bits alone", "[quantize]") {
  // The second channel is a hundredth of the first until the weights are equalized.
  const char* const text = "opset 21; x: f32[1,2,8,8]; c = Relu(Conv(x, f32[2,2,1,1] {1, 0.5, 0.01, -0.005})); "
                           "y = Conv(c, f32[2,2,1,1] {1, 100, -0.5, 70})";
  StaticOptions statics;
  statics.ranges = MinMax();
  const std::vector<std::string> names = mixed_trials(text, statics);
  CAPTURE(names);
  const auto has = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
  CHECK(has("min-max, weights equalized, biases corrected, 100 % of activations in 16 bits"));
  CHECK(has("min-max, biases corrected, 100 % of activations in 16 bits"));
  CHECK(names.front().ends_with("in 16 bits"));
}

TEST_CASE("mixed activations stay wide where the bits or the rounding of weights change later", "[quantize]") {
  const char* const text = "opset 21; x: f32[1,2,8,8]; c = Relu(Conv(x, f32[2,2,1,1] {1, 0.5, 0.01, -0.005})); "
                           "y = Conv(c, f32[2,2,1,1] {1, 100, -0.5, 70})";
  const auto wide_tensors = [&](const StaticOptions& statics) {
    Model model = graph(text);
    const QuantizeResult result = mixed(model, statics);
    CHECK_THAT(result.trials.front().name, Catch::EndsWith("in 16 bits"));
    return std::ranges::count_if(model.graph().nodes(), [](const Node& node) {
      return is_quantize(node) && bits(quantized_dtype(node)) == 16;
    });
  };
  StaticOptions plain, learned, budgeted;
  plain.ranges = learned.ranges = budgeted.ranges = MinMax();
  learned.reconstruct.emplace();
  budgeted.bit_budget = BitBudget{.cost = BitCost::bytes, .at_most = 6};
  const auto wide = wide_tensors(plain);
  CHECK(wide != 0);
  CHECK(wide_tensors(learned) == wide);
  CHECK(wide_tensors(budgeted) == wide);
}

TEST_CASE("mixed activations try every range for 16 bits", "[quantize]") {
  const char* const text =
      "opset 21; x: f32[1,2,8,8]; c = Conv(x, f32[2,2,1,1] random); y = Conv(c, f32[2,2,1,1] random)";
  StaticOptions statics;
  statics.ranges = std::vector<RangeMethod>{Percentile{90}, Percentile{99}, MinMax()};
  statics.equalize = false;
  const std::vector<std::string> names = mixed_trials(text, statics);
  CAPTURE(names);
  for (const std::string range : {"percentile 90, ", "percentile 99, ", "min-max, "})
    CHECK(std::ranges::any_of(names, [&](const std::string& name) {
      return name.starts_with(range) && name.ends_with("100 % of activations in 16 bits");
    }));
}
