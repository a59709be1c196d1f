#include <graft/quantize/target/tensorrt.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/print.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/detail/small_products.hpp>
#include <graft/quantize/kernel/quantizable.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/run/prepare_model.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/testing/lint_target.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

const std::string conv32 = "w = f32[32,32,3,3] random; v = f32[32,32,3,3] random; u = f32[32,32,1,1] random; ";

/// As quantize() places pairs, with ranges of the one sample.
Model placed(const std::string& text) {
  Model model = graph("opset 17; x: f32[1,32,8,8]; " + text);
  Tensor x(DType::f32, {1, 32, 8, 8});
  for (float value = -1; float& element : x.mutable_data<float>()) element = value += 0.001f;
  (prepare_model(targets::tensorrt) | calibrate(std::vector<Feeds>{{{"x", x}}}) |
   inject_qdq(targets::tensorrt, Placement::min_cost) |
   quantize_weights(Granularity::per_channel, targets::tensorrt))
      .run(model);
  return model;
}

/// Whether what makes this input of a node is a DequantizeLinear.
bool reads_pair(const Node& node, std::size_t input) {
  return node.input(input)->producer() != nullptr && is_dequantize(*node.input(input)->producer());
}
std::size_t pairs(const Model& model) { return count(model.graph(), "QuantizeLinear"); }

}  // namespace

TEST_CASE("the target of TensorRT does not contradict itself", "[quantize]") {
  CHECK(lint(targets::tensorrt));
  CHECK(targets::tensorrt.zero_points == ZeroPoints::zero);
  CHECK(targets::tensorrt.bias == BiasForm::float32);
}

TEST_CASE("TensorRT reads pairs on inputs alone, of int8 around 0, with their axes written", "[quantize]") {
  const Model model = placed(conv32 + "b = f32[32] random; c = Relu(Conv(x, w, b) {pads=[1,1,1,1]}); "
                                      "y = Conv(c, v) {pads=[1,1,1,1]}");
  INFO(to_string(model.graph()));
  CHECK(pairs(model) == 2);
  CHECK(count(model.graph(), "Relu") == 1);
  for (const Node& node : model.graph().nodes()) {
    if (node.is("Conv")) {
      CHECK(reads_pair(node, 0));
      CHECK(reads_pair(node, 1));
      if (node.input_count() > 2) CHECK(node.input(2)->is_constant());
    }
    if (!is_quantize(node) && !is_dequantize(node)) continue;
    CHECK(quantized_dtype(node) == DType::i8);
    REQUIRE(node.input(2) != nullptr);
    for (const std::int64_t zero : node.input(2)->constant()->to<std::int64_t>()) CHECK(zero == 0);
    if (node.input(1)->shape().rank() == 1) CHECK(node.attribute("axis") != nullptr);
  }
  CHECK(model.graph().output(0)->producer()->is("Conv"));
  CHECK_FALSE(audit(model.graph(), targets::tensorrt).has_errors());
}

TEST_CASE("chains behind a product stay whole", "[quantize]") {
  for (const std::string row :
       {"Relu(c)", "Mul(c, Sigmoid(c))", "MaxPool(Relu(c)) {kernel_shape=[2,2]}", "Relu(LeakyRelu(c))",
        "Mul(HardSigmoid(c), c)", "Transpose(HardSwish(c)) {perm=[0,1,3,2]}"}) {
    Model model = placed(conv32 + "c = Conv(x, w); d = " + row + "; y = Conv(d, u)");
    INFO(to_string(model.graph()));
    CHECK(pairs(model) == 2);
    CHECK(reads_pair(first(model.graph(), "Conv"), 0));
    const Audit found = audit(model.graph(), targets::tensorrt);
    INFO(found);
    CHECK(found.of("Conv").fused() == 2);
    CHECK_FALSE(found.findings[0].float_result);
  }
}

TEST_CASE("a gate from elsewhere begins a new chain", "[quantize]") {
  const Model model =
      placed(conv32 + "c = Conv(x, w); g = Sigmoid(Conv(GlobalAveragePool(c), u)); y = Conv(Mul(c, g), u)");
  INFO(to_string(model.graph()));
  const Node& mul = first(model.graph(), "Mul");
  CHECK_FALSE(reads_pair(mul, 0));
  CHECK_FALSE(reads_pair(mul, 1));
}

TEST_CASE("of a residual sum the skip branch alone is quantized", "[quantize]") {
  const std::string block = conv32 + "c = Relu(Conv(x, u)); d = Relu(Conv(c, w) {pads=[1,1,1,1]}); "
                                     "e = Conv(d, v) {pads=[1,1,1,1]}; f = Relu(Add(";
  for (const std::string operands : {"e, c", "c, e"}) {
    const Model model = placed(block + operands + ")); y = Conv(f, u)");
    INFO(to_string(model.graph()));
    const Node& sum = first(model.graph(), "Add");
    const std::size_t skip = operands == "c, e" ? 0 : 1;
    CHECK(reads_pair(sum, skip));
    CHECK_FALSE(reads_pair(sum, 1 - skip));
    CHECK(sum.input(skip) == model.graph().find("d")->producer()->input(0)->producer()->input(0));
    const Audit found = audit(model.graph(), targets::tensorrt);
    INFO(found);
    for (const OperatorOutcome& finding : found.findings) CHECK(finding.severity == Severity::none);
  }
  // Nothing quantizes the sum: then neither branch is.
  const Model in_float = placed(block + "e, c)); y = Softmax(f)");
  CHECK_FALSE(reads_pair(first(in_float.graph(), "Add"), 0));
  CHECK_FALSE(reads_pair(first(in_float.graph(), "Add"), 1));
}

TEST_CASE("pools and Resize are quantized behind a product, and their results for the next one", "[quantize]") {
  const std::string resize = "Resize(c, _, f32[4] {1, 1, 2, 2}) {mode=\"nearest\"}";
  for (const std::string& pool : {std::string("AveragePool(c) {kernel_shape=[2,2]}"), resize}) {
    INFO(pool);
    const Model followed = placed(conv32 + "c = Relu(Conv(x, w)); d = " + pool + "; y = Conv(d, u)");
    CHECK(pairs(followed) == 3);
    CHECK(reads_pair(*node_making(followed, "d").input(0)->uses().front().user(), 0));
    const Model last = placed(conv32 + "c = Relu(Conv(x, w)); d = " + pool + "; y = Softmax(d)");
    CHECK(pairs(last) == 2);
    CHECK_FALSE(reads_pair(first(last.graph(), "Softmax"), 0));
    CHECK_FALSE(audit(followed.graph(), targets::tensorrt).has_errors());
    // Behind an operator in float it would take a conversion of its own.
    CHECK(pairs(placed("c = Softmax(x); y = " + pool)) == 0);
  }
}

TEST_CASE("what moves or joins values gets no pair of its own", "[quantize]") {
  const std::string two = conv32 + "c = Conv(x, u); ";
  struct Row {
    std::string between;
    const char* op;
  };
  for (const auto& [between, op] :
       {Row{"Concat(c, Relu(c)) {axis=1}; y = Conv(d, f32[32,64,1,1] random)", "Concat"},
        Row{"Transpose(c) {perm=[0,1,3,2]}; y = Conv(d, u)", "Transpose"},
        Row{"Reshape(c, i64[4] {1, 32, 4, 16}); y = Conv(d, u)", "Reshape"},
        Row{"Slice(c, i64[1] 0, i64[1] 4, i64[1] 2); y = Conv(d, u)", "Slice"},
        Row{"Pad(c, i64[8] {0, 0, 1, 1, 0, 0, 1, 1}) {mode=\"reflect\"}; y = Conv(d, u)", "Pad"},
        Row{"InstanceNormalization(c, f32[32] 1, f32[32] 1); y = Conv(d, u)", "InstanceNormalization"},
        Row{"Softmax(c); y = Conv(d, u)", "Softmax"}}) {
    const Model model = placed(two + "d = " + between);
    INFO(to_string(model.graph()));
    CHECK(pairs(model) == 2);
    const Node& node = first(model.graph(), op);
    for (std::size_t i = 0; i < node.input_count(); ++i) CHECK_FALSE(reads_pair(node, i));
    CHECK_FALSE(audit(model.graph(), targets::tensorrt).has_errors());
  }
  // Zeros go to the pads of the Conv, so that no pair parts the two.
  const Model padded = placed(two + "y = Conv(Pad(c, i64[8] {0, 0, 1, 1, 0, 0, 1, 1}), u)");
  CHECK(count(padded.graph(), "Pad") == 0);
  CHECK(pairs(padded) == 2);
}

TEST_CASE("readers in float and outputs of the graph read no pair", "[quantize]") {
  const Model model = placed(conv32 + "c = Conv(x, w); d = Softmax(c); y = Conv(c, u); return y, d, c");
  INFO(to_string(model.graph()));
  CHECK_FALSE(reads_pair(first(model.graph(), "Softmax"), 0));
  for (const char* const output : {"y", "d", "c"}) CHECK_FALSE(is_dequantize(node_making(model, output)));
}

TEST_CASE("normalization, Gelu and Softmax stay in float around products", "[quantize]") {
  Model model = graph(
      "opset 17; x: f32[1,64,32]; w = f32[32,32] random; v = f32[32,32] random; b = f32[32] random; g = f32[32] 1; "
      "h = LayerNormalization(x, g, b); q = Add(MatMul(h, w), b); r = Add(q, x); n = LayerNormalization(r, g, b); "
      "k = MatMul(n, v); e = Mul(Mul(k, Add(Erf(Div(k, f32[] 1.414)), f32[] 1)), f32[] 0.5); "
      "y = Softmax(MatMul(e, w))");
  Tensor x(DType::f32, {1, 64, 32});
  for (float value = -1; float& element : x.mutable_data<float>()) element = value += 0.001f;
  const QuantizeResult result =
      quantize(model, std::vector<Feeds>{{{"x", x}}}, targets::tensorrt, QuantizeOptions::fast());
  INFO(to_string(model.graph()));
  CHECK(result.pairs == 3);
  for (const Node& node : model.graph().nodes()) {
    if (is_quantize(node) || is_dequantize(node)) continue;
    if (!node.is("MatMul") && !node.is("Gemm"))
      for (std::size_t i = 0; i < node.input_count(); ++i) CHECK_FALSE(reads_pair(node, i));
    else CHECK(reads_pair(node, 0));
    CHECK(node.domain().empty());
  }
  CHECK_FALSE(result.audit.has_errors());
}

TEST_CASE("products too small for the chip stay in float where cost decides", "[quantize]") {
  const auto is_small = [](const std::string& text) {
    const Model model = graph("x: f32[1,32,8,8]; t: f32[1,3,8,8]; m: f32[8,32]; l: f32[1,32]; " + text);
    return detail::is_small_product(node_making(model, "y"));
  };
  CHECK_FALSE(is_small("y = Conv(x, f32[16,32,3,3] random)"));
  CHECK_FALSE(is_small("y = Conv(x, f32[8,32,3,3] random)"));
  CHECK(is_small("y = Conv(x, f32[8,32,3,1] random)"));
  CHECK(is_small("a = Relu(t); y = Conv(a, f32[12,3,3,3] random)"));
  CHECK(is_small("a = Relu(t); y = Conv(a, f32[8,3,3,3] random)"));
  CHECK_FALSE(is_small("y = Conv(t, f32[8,3,3,3] random)"));
  CHECK_FALSE(is_small("y = Conv(x, f32[32,1,3,3] random) {group=32}"));
  CHECK(is_small("y = Conv(x, f32[32,1,1,1] random) {group=32}"));
  CHECK_FALSE(is_small("y = MatMul(m, f32[32,16] random)"));
  CHECK(is_small("y = MatMul(m, f32[32,15] random)"));
  CHECK(is_small("y = MatMul(l, f32[32,16] random)"));
  CHECK(is_small("y = Gemm(m, f32[15,32] random) {transB=1}"));
  CHECK_FALSE(is_small("y = Gemm(m, f32[16,32] random) {transB=1}"));
  const Model model = placed("y = Conv(Relu(Conv(x, f32[32,32,3,3] random)), f32[4,32,3,1] random)");
  CHECK(pairs(model) == 1);
}

TEST_CASE("uint8, zero points and integer operators of other tools are refused, each with its remedy", "[quantize]") {
  const auto codes = [](const std::string& text) {
    std::string found;
    const Model model = graph(text);
    for (const OperatorOutcome& outcome : audit(model.graph(), targets::tensorrt).findings) {
      if (outcome.severity != Severity::error) continue;
      CHECK_FALSE(outcome.remedy.empty());
      found += (found.empty() ? "" : " ") + std::string(outcome.code);
    }
    return found;
  };
  const std::string head = "opset 13; x: f32[1,32,8,8]; s = f32[] 0.1; ws = f32[32] 0.1; w = i8[32,32,1,1] 1; ";
  const std::string conv =
      "y = Conv(DequantizeLinear(QuantizeLinear(x, s, z), s, z), DequantizeLinear(w, ws) {axis=0}, ";
  CHECK(codes(head + "z = i8[] 0; " + conv + "f32[32] 1)").empty());
  CHECK(codes(head + "z = u8[] 0; " + conv + "f32[32] 1)") == "dtype_refused dtype_refused");
  CHECK(codes(head + "z = i8[] -128; " + conv + "f32[32] 1)") == "zero_point_refused zero_point_refused");
  CHECK(codes(head + "z = i8[] 0; " + conv + "DequantizeLinear(i32[32] 1, ws) {axis=0})") == "bias_refused");
  CHECK(codes("x: f32[4,32]; q, s, z = DynamicQuantizeLinear(x); a = MatMulInteger(q, i8[32,4] 1, z); "
              "y = Mul(Cast(a) {to=f32}, s)") == "integer_operator integer_operator");
}

TEST_CASE("weights for TensorRT are int4 in blocks of 64 or 128, all of one size and symmetric", "[quantize]") {
  const auto quantized = [](const std::string& rows, bool is_symmetric, std::int64_t block) {
    Model model = graph("opset 17; x: f32[1,8," + rows + "]; y = MatMul(x, f32[" + rows + ",32] random)");
    BlockwiseOptions options{.weights = {.block_size = block, .symmetric = is_symmetric},
                             .method = BlockMethod::nearest,
                             .operators = BlockOperators::standard,
                             .tables = std::nullopt};
    Context context;
    quantize(model, targets::tensorrt, {.mode = options}, context);
    return model;
  };
  for (const std::int64_t block : {64, 128}) {
    const Model model = quantized("256", true, block);
    INFO(to_string(model.graph()));
    const Node& dequantize = first(model.graph(), "DequantizeLinear");
    CHECK(dequantize.input(0)->dtype() == DType::i4);
    CHECK(dequantize.input(2) == nullptr);
    CHECK(dequantize.attribute("axis")->i() == 0);
    CHECK_FALSE(audit(model.graph(), targets::tensorrt).has_errors());
  }
  CHECK(count(quantized("256", false, 64).graph(), "DequantizeLinear") == 0);
  CHECK(count(quantized("256", true, 32).graph(), "DequantizeLinear") == 0);
  CHECK(count(quantized("200", true, 64).graph(), "DequantizeLinear") == 0);
}

TEST_CASE("attention with a computed mask takes factors of f8e4m3fn, not of int8", "[quantize]") {
  const Model model = graph("opset 19; q: f32[1,2,64,32]; k: f32[1,2,32,64]; m: f32[1,1,64,64]; s = MatMul(q, k); "
                            "y = Softmax(Add(s, m))");
  const Node& product = node_making(model, "s");
  CHECK(quantizable(product, targets::tensorrt).reason().code == "attention");
  CHECK(quantizable(product, with_activations(targets::tensorrt, DType::f8e4m3fn)));
}

TEST_CASE("a pair in front of LayerNormalization lets the Conv in front of it give integers", "[quantize]") {
  const std::string norm = "LayerNormalization(t, f32[8] 1) {axis=-1}";
  const Model model = placed(conv32 + "t = Conv(x, w) {pads=[1,1,1,1]}; y = " + norm);
  INFO(to_string(model.graph()));
  CHECK(pairs(model) == 2);
  CHECK(reads_pair(first(model.graph(), "LayerNormalization"), 0));
  CHECK_FALSE(reads_pair(first(model.graph(), "LayerNormalization"), 1));
  CHECK(model.graph().output(0)->producer()->is("LayerNormalization"));
  const Audit found = audit(model.graph(), targets::tensorrt);
  INFO(found);
  CHECK_FALSE(found.has_errors());
  CHECK_FALSE(found.of("Conv").findings.at(0).float_result);
  const Model last = placed(conv32 + "t = Transpose(Conv(x, w) {pads=[1,1,1,1]}) {perm=[0,2,3,1]}; "
                                     "y = LayerNormalization(t, f32[32] 1) {axis=-1}");
  INFO(to_string(last.graph()));
  CHECK(pairs(last) == 2);
  CHECK_FALSE(audit(last.graph(), targets::tensorrt).of("Conv").findings.at(0).float_result);
  const Model apart = placed(conv32 + "t = Softmax(Conv(x, w) {pads=[1,1,1,1]}); y = " + norm);
  CHECK(pairs(apart) == 1);
}

TEST_CASE("probabilities of f8e4m3fn have the scale 1/448", "[quantize]") {
  Model model = graph("opset 19; q: f32[1,2,64,32]; v: f32[1,2,64,32]; y = MatMul(Softmax(MatMul(q, "
                      "Transpose(v) {perm=[0,1,3,2]})), v)");
  Tensor x(DType::f32, {1, 2, 64, 32});
  for (float value = -1; float& element : x.mutable_data<float>()) element = value += 0.0005f;
  QuantizeOptions options = QuantizeOptions::fast();
  options.static_options().placement = Placement::all_supported;
  quantize(model, std::vector<Feeds>{{{"q", x}, {"v", x}}}, with_activations(targets::tensorrt, DType::f8e4m3fn),
           options);
  INFO(to_string(model.graph()));
  const Node& softmax = first(model.graph(), "Softmax");
  const Node& quantizer = *softmax.output(0)->uses().front().user();
  REQUIRE(is_quantize(quantizer));
  CHECK(qparams_of(quantizer)->scale == 1.0f / 448);
}

TEST_CASE("the factor of scores stands on the queries of f8e4m3fn", "[quantize]") {
  const auto quantized = [](const Target& target) {
    Model model = graph("opset 19; q: f32[1,2,64,32]; v: f32[1,2,64,32]; s = MatMul(q, Transpose(v) {perm=[0,1,3,2]}); "
                        "o = MatMul(Softmax(Div(s, f32[] 5.66)), v); y = MatMul(o, f32[32,32] random)");
    Tensor x(DType::f32, {1, 2, 64, 32});
    for (float value = -1; float& element : x.mutable_data<float>()) element = value += 0.0005f;
    QuantizeOptions options = QuantizeOptions::fast();
    options.static_options().placement = Placement::all_supported;
    quantize(model, std::vector<Feeds>{{{"q", x}, {"v", x}}}, target, options);
    return model;
  };
  const Target float8 = with_activations(targets::tensorrt, DType::f8e4m3fn);
  const Model model = quantized(float8);
  INFO(to_string(model.graph()));
  const Node& div = first(model.graph(), "Div");
  CHECK(div.input(0)->name() == "q");
  CHECK(is_quantize(*div.output(0)->uses().front().user()));
  const Audit found = audit(model.graph(), float8);
  INFO(found);
  CHECK(found.of("MatMul").fused() == 3);
  for (const OperatorOutcome& finding : found.findings) CHECK(finding.severity < Severity::warning);
  CHECK(first(quantized(targets::tensorrt).graph(), "Div").output(0)->uses().front().user()->is("Softmax"));
}

TEST_CASE("products are f8e4m3fn for TensorRT on request, up to 448", "[quantize]") {
  const Target target = with_activations(targets::tensorrt, DType::f8e4m3fn);
  const std::string text = "opset 13; x: f32[1,32,8,8]; y = Conv(Relu(Conv(x, f32[32,32,3,3] random)), f32[32,32,1,1] "
                           "random)";
  Model model = graph(text);
  Tensor x(DType::f32, {1, 32, 8, 8});
  for (float value = -1; float& element : x.mutable_data<float>()) element = value += 0.001f;
  const Feeds feeds{{"x", x}};
  quantize(model, std::vector<Feeds>{feeds}, target, QuantizeOptions::fast());
  INFO(to_string(model.graph()));
  CHECK(model.graph().opset() >= 19);
  CHECK(pairs(model) == 2);
  for (const Node& node : model.graph().nodes()) {
    if (!is_quantize(node) && !is_dequantize(node)) continue;
    CHECK(quantized_dtype(node) == DType::f8e4m3fn);
    for (const float zero : node.input(2)->constant()->to<float>()) CHECK(zero == 0);
  }
  const Node& of_input = first(model.graph(), "QuantizeLinear");
  CHECK(qparams_of(of_input)->scale == Approx(x.to<float>().back() / 448));
  const Audit found = audit(model.graph(), target);
  INFO(found);
  CHECK(found.of("Conv").fused() == 2);
  CHECK_FALSE(found.has_errors());
  const std::vector<float> before = Evaluator(graph(text).graph()).run(feeds).at(0).to<float>(),
                           after = Evaluator(model.graph()).run(feeds).at(0).to<float>();
  double products = 0, of_before = 0, of_after = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    products += double{before[i]} * after[i];
    of_before += double{before[i]} * before[i];
    of_after += double{after[i]} * after[i];
  }
  CHECK(products / std::sqrt(of_before * of_after) > 0.99);
}
