// Weights, biases and factors in the forms that real models bring, through the whole pipeline.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/verify.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"
#include "quantize/whole_pipeline.hpp"

using namespace graft;

namespace {

Whole everything(const std::string& text) {
  Whole whole = quantize_whole(graph(text), Placement::all_supported);
  INFO(text << "\n" << whole.notes() << whole.findings());
  CHECK(whole.error < 0.03);
  CHECK(whole.abnormal_scales().empty());
  CHECK(verify(whole.model).empty());
  CHECK_FALSE(whole.audit.has_errors());
  return whole;
}

/// Of inputs of the nodes of one operator, in their order.
std::vector<QuantizedTensor> constants(const Whole& whole, std::string_view op, std::size_t input) {
  std::vector<QuantizedTensor> found;
  for (const Node& node : whole.model.graph().nodes())
    if (node.is(op)) found.push_back(quantized_constant(*node.input(input)->producer()).value());
  return found;
}

const Value* stored(const Whole& whole, std::string_view node, std::size_t input) {
  for (const Node& candidate : whole.model.graph().nodes())
    if (candidate.name() == node) return candidate.input(input)->producer()->input(0);
  return nullptr;
}

bool notes(const Whole& whole, const std::string& text) { return whole.notes().find(text) != std::string::npos; }

}  // namespace

TEST_CASE("a weight and a bias shared by Convs of different inputs: one weight, and a bias for each", "[quantize]") {
  for (const Placement placement : both_placements) {
    const Whole whole = quantize_whole(graph("x: f32[1,2,4,4]; w = f32[2,2,1,1] random; b = f32[2] random; "
                                             "y = Conv(x, w, b); t = Mul(y, f32[] 10); z = Conv(t, w, b); return z"),
                                       placement);
    CHECK(whole.error < 0.03);
    CHECK(whole.audit.of("Conv").fused() == 2);
    CHECK(stored(whole, "y", 1) == stored(whole, "z", 1));
    CHECK(stored(whole, "y", 2) != stored(whole, "z", 2));
    const auto weights = constants(whole, "Conv", 1), biases = constants(whole, "Conv", 2);
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const auto products = biases[i].scale.to<float>(), own = weights[i].scale.to<float>();
      CHECK(products[0] / own[0] == Approx(products[1] / own[1]));
    }
    CHECK(biases[1].scale.to<float>()[0] > 5 * biases[0].scale.to<float>()[0]);
  }
}

TEST_CASE("a weight that two read along different axes is quantized for each", "[quantize]") {
  const Whole whole = everything(
      "x: f32[3,4]; w = f32[4,4] random; b = f32[4] random; y = Gemm(x, w, b); z = Gemm(y, w, b) {transB=1}; "
      "u = MatMul(z, w); return u");
  CHECK(whole.audit.fused() == 3);
  CHECK(stored(whole, "y", 1) != stored(whole, "z", 1));
  CHECK(stored(whole, "y", 1) == stored(whole, "u", 1));
  CHECK(constants(whole, "Gemm", 1)[0].axis == 1u);
  CHECK(constants(whole, "Gemm", 1)[1].axis == 0u);
}

TEST_CASE("a bias that something else reads as a float stays there", "[quantize]") {
  const Whole whole = everything(
      "x: f32[3,4]; w = f32[4,4] random; b = f32[4] random; y = Gemm(x, w, b); z = Neg(Mul(y, b)); return z");
  CHECK(whole.audit.fused() == 2);
  CHECK(stored(whole, "y", 2)->dtype() == DType::i32);
  CHECK(stored(whole, "Mul_1", 1)->dtype() == DType::u8);
}

TEST_CASE("Gemm with factors and biases of any form that is one for each channel", "[quantize]") {
  for (const std::string gemm : {"Gemm(x, w, b) {alpha=0.5, beta=2.0}", "Gemm(x, w, b) {beta=0.0}", "Gemm(x, w, row)",
                                 "Gemm(x, w, one)", "Gemm(x, w, one) {beta=-3.0}", "Gemm(x, w, scalar)",
                                 "Gemm(t, w, b) {transA=1}", "Gemm(x, v, row) {transB=1, alpha=0.25}", "Gemm(x, w)"}) {
    const Whole whole = everything(
        "x: f32[3,4]; t: f32[4,3]; w = f32[4,5] random; v = f32[5,4] random; b = f32[5] random; row = f32[1,5] random; "
        "one = f32[1] 0.3; scalar = f32[] 0.3; y = " + gemm + "; return y");
    INFO(gemm);
    CHECK(whole.audit.fused() == 1);
    if (gemm != "Gemm(x, w)") CHECK(stored(whole, "y", 2)->dtype() == DType::i32);
  }
}

TEST_CASE("Gemm that no kernel takes stays in float, and is reported", "[quantize]") {
  const auto left = [](const std::string& gemm, const std::string& why) {
    const Whole whole = everything("x: f32[3,4]; c: f32[5]; w = f32[4,5] random; full = f32[3,5] random; "
                                   "column = f32[3,1] random; b: f32[5] = random; y = " + gemm + "; return y");
    INFO(gemm << whole.notes());
    CHECK(ops(whole.model.graph()) == "Gemm");
    CHECK(notes(whole, "'y' stays in float: " + why));
    CHECK(whole.findings().find(why) != std::string::npos);
  };
  left("Gemm(x, w, full)", "its bias has no value for each channel");
  left("Gemm(x, w, column)", "its bias has no value for each channel");
  left("Gemm(x, w) {alpha=0.0}", "its alpha is not positive");
  left("Gemm(x, w) {alpha=-2.0}", "its alpha is not positive");
  left("Gemm(x, w, c)", "its bias is not constant");
}

TEST_CASE("a bias of the wrong length that nothing has spread is left, not an error", "[quantize]") {
  Model model = graph("opset 13; x: f32[3,4]; y = Gemm(x, f32[4,5] random, f32[1] 0.3)");
  const Ranges ranges{{"x", {-1, 1}}, {"y", {-2, 2}}};
  const Report report = (inject_qdq(ranges, targets::ort_cpu_x64, Placement::all_supported) |
                         quantize_weights(Granularity::per_channel, targets::ort_cpu_x64)).run(model);
  CHECK(ops(model.graph()) == "Gemm");
  CHECK(report.steps[0].notes ==
        std::vector<std::string>{"'y' stays in float: its bias has no value for each channel"});
}

TEST_CASE("products of every rank", "[quantize]") {
  const auto product = [](const std::string& text) {
    const Whole whole = everything(text);
    CHECK(whole.audit.of("MatMul").fused() == 1);
    return constants(whole, "MatMul", 1)[0].axis;
  };
  CHECK(product("x: f32[2,4,3]; w = f32[3,5] random; y = Relu(MatMul(x, w))") == 1u);
  // The kernel takes one scale.
  CHECK_FALSE(product("x: f32[2,4,3]; w = f32[2,3,5] random; y = Relu(MatMul(x, w))"));
  CHECK_FALSE(product("x: f32[4,3]; w = f32[3] random; y = Relu(MatMul(x, w))"));
  CHECK(product("x: f32[3]; w = f32[3,5] random; y = Relu(MatMul(x, w))") == 1u);

  const Whole dynamic = everything("x: f32[2,4,3]; z: f32[2,3,4]; y = Relu(MatMul(x, z))");
  CHECK(ops(dynamic.model.graph()) ==
        "QuantizeLinear DequantizeLinear QuantizeLinear DequantizeLinear MatMul Relu QuantizeLinear DequantizeLinear");
  CHECK(dynamic.audit.fused() == 1);
  const Whole left = everything("x: f32[4,3]; w = f32[5,4] random; y = Relu(MatMul(w, x))");
  CHECK(ops(left.model.graph()) == "MatMul Relu");
  CHECK(notes(left, "stays in float: its input is constant"));
}

TEST_CASE("ConvTranspose stays in float, and has scales along its second axis where a target computes it",
          "[quantize]") {
  const std::string text = "x: f32[1,4,4,4]; w = f32[4,2,3,3] random; y = ConvTranspose(x, w) ";
  CHECK(ops(everything(text + "{group=2}").model.graph()) == "ConvTranspose");

  constexpr static IntegerKernel kernels[] = {{.op = "ConvTranspose", .dtypes = detail::ort_x64_dtypes}};
  constexpr static Target transposing{.name = "transposing", .kernels = kernels};
  const Whole whole = quantize_whole(graph(text), Placement::all_supported, transposing);
  CHECK(whole.error < 0.03);
  CHECK(constants(whole, "ConvTranspose", 1)[0].axis == 1u);
  CHECK(constants(whole, "ConvTranspose", 1)[0].scale.size() == 2);
  // In groups, output channel g * 2 + m reads the scale of m: what the groups share bounds all of them.
  CHECK(quantize_whole(graph(text + "{group=2}"), Placement::all_supported, transposing).error < 0.03);
}

TEST_CASE("the bias of a ConvTranspose in groups has the scales of each group", "[quantize]") {
  constexpr static IntegerKernel kernels[] = {{.op = "ConvTranspose", .dtypes = detail::ort_x64_dtypes}};
  constexpr static Target transposing{.name = "transposing", .kernels = kernels};
  const Whole whole = quantize_whole(graph("x: f32[1,4,4,4]; w = f32[4,2,3,3] random; b = f32[4] random; "
                                           "y = ConvTranspose(x, w, b) {group=2}"),
                                     Placement::all_supported, transposing);
  CHECK(whole.error < 0.03);
  const std::vector<float> scales = constants(whole, "ConvTranspose", 2)[0].scale.to<float>();
  REQUIRE(scales.size() == 4);
  CHECK(scales[0] == scales[2]);
  CHECK(scales[1] == scales[3]);
  CHECK_FALSE(whole.audit.has_errors());
}

TEST_CASE("weights in Constants whose dims are not declared are as those of initializers", "[quantize]") {
  Builder builder(13);
  Value& x = builder.input("x", DType::f32, {4, 4});
  const auto constant = [&](const Dims& dims) -> Value& {
    Tensor tensor(DType::f32, dims);
    float next = 0;
    for (float& number : tensor.mutable_data<float>()) number = std::sin(next += 1);
    return builder.op("Constant", {}, {{"value", tensor}});
  };
  Value& w = constant({4, 4});
  Value& b = constant({4});
  builder.output(builder.op("Gemm", {&x, &w, &b}), "y");
  builder.output(builder.op("Gemm", {&x, &w}, {{"transB", std::int64_t{1}}}), "z");
  Model model = builder.build();
  CHECK(w.shape() == Shape(Dims{4, 4}));
  (inject_qdq({{"x", {-1, 1}}, {"y", {-4, 4}}, {"z", {-4, 4}}}, targets::ort_cpu_x64, Placement::all_supported) |
   quantize_weights(Granularity::per_channel, targets::ort_cpu_x64)).run(model);
  const Audit found = audit(model.graph(), targets::ort_cpu_x64);
  CHECK(found.fused() == 2);
  CHECK_FALSE(found.has_errors());
}

TEST_CASE("weights and biases that are computed, or that callers may override, leave a Conv in float", "[quantize]") {
  struct Case {
    std::string given, conv, why;
  };
  for (const Placement placement : both_placements) {
    for (const Case& test :
         {Case{"v: f32[2,2,1,1]", "Conv(x, Neg(v))", "its weight is not constant"},
          Case{"v: f32[2]", "Conv(x, f32[2,2,1,1] random, Neg(v))", "its bias is not constant"},
          Case{"v: f32[2,2,1,1] = random", "Conv(x, v)", "callers may override"},
          Case{"v: f32[2] = random", "Conv(x, f32[2,2,1,1] random, v)", "callers may override"}}) {
      const std::string text = "x: f32[1,2,4,4]; " + test.given + "; y = Relu(" + test.conv + "); return y";
      const Whole whole = quantize_whole(graph(text), placement);
      INFO(test.conv << "\n" << whole.notes() << whole.findings());
      CHECK(whole.error == 0);
      CHECK(count(whole.model.graph(), "QuantizeLinear") == 0);
      CHECK(notes(whole, "stays in float: its "));
      CHECK(whole.findings().find(test.why) != std::string::npos);
    }
  }
}

TEST_CASE("results of a Softmax are quantized up to 1, for its kernel does not saturate", "[quantize]") {
  for (const std::string behind : {"y = Mul(s, s)", "m = Reshape(s, i64[2] {2, 8}); y = Mul(m, m)"}) {
    const Whole whole = everything("x: f32[1,16]; s = Softmax(x) {axis=-1}; " + behind + "; return y");
    CHECK(whole.audit.of("Softmax").fused() == 1);
    const Node& softmax = first(whole.model.graph(), "Softmax");
    CHECK(qparams_of(*softmax.output(0)->uses().front().user())->range().max == Approx(1));
  }
}

TEST_CASE("a Softmax whose results stay far below 1 stays in float, and they keep their range", "[quantize]") {
  const Whole whole = everything("x: f32[1,256]; s = Softmax(x) {axis=-1}; y = Mul(s, s); return y");
  INFO(whole.notes() << whole.findings());
  CHECK(notes(whole, "its results are far below 1, up to which they must be quantized: its kernel does not saturate"));
  CHECK(whole.audit.of("Softmax").fused() == 0);
  CHECK(whole.audit.of("Mul").fused() == 1);
  CHECK(qparams_of(*first(whole.model.graph(), "Softmax").output(0)->uses().front().user())->range().max < 0.1f);
}

TEST_CASE("a Softmax over an axis of unknown extent stays in float where all its results were 1", "[quantize]") {
  for (const float least : {1.0f, 0.5f}) {
    Model model = graph("x: f32[N,M]; s = Softmax(x) {axis=-1}; y = Mul(s, s); return y");
    const Ranges ranges{{"x", {-1, 1}}, {"s", {least, 1}}, {"y", {0, 1}}};
    inject_qdq(ranges, targets::ort_cpu_x64, Placement::all_supported).run(model);
    CHECK(audit(model.graph(), targets::ort_cpu_x64).of("Softmax").fused() == (least < 1 ? 1 : 0));
  }
}

TEST_CASE("a Softmax in float between quantizers is kept from the kernel that does not saturate", "[quantize]") {
  const std::string conv = "Conv(x, f32[2,2,1,1] random)";
  for (const Placement placement : {Placement::naive, Placement::fusion_aware, Placement::all_supported}) {
    const Whole whole = quantize_whole(graph("x: f32[1,2,16,16]; s = Softmax(" + conv + ") {axis=-1};"
                                             "y = Conv(s, f32[2,2,1,1] random); return y"), placement);
    INFO(whole.notes() << whole.findings());
    CHECK(whole.audit.of("Conv").fused() == 2);
    CHECK(whole.findings().find("does_not_saturate") == std::string::npos);
    CHECK(whole.audit.of("Softmax").fused() == (placement == Placement::all_supported ? 1 : 0));
  }
}
