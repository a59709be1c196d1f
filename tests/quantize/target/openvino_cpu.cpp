#include <graft/quantize/target/openvino_cpu.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/kernel/quantizable.hpp>
#include <graft/quantize/run/prepare_model.hpp>
#include <graft/testing/lint_target.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

/// Of the only operator of that kind.
OperatorOutcome finding(const std::string& text, std::string_view op) {
  const Model model = graph(text);
  const Audit found = audit(model.graph(), targets::openvino_cpu).of(op);
  REQUIRE(found.findings.size() == 1);
  return found.findings[0];
}

/// q-params s, z of activations; t of other activations; weights along axis 0 with ws, wz.
const std::string qparams =
    "s = f32[] 0.1; z = u8[] 128; t = f32[] 0.2; ws = f32[4] {0.1, 0.2, 0.1, 0.2}; wz = i8[4] {0, 0, 0, 0}; "
    "p: u8[1,4,8,8]; "
    "q = i8[4,4,1,1] random; x = DequantizeLinear(p, s, z); w = DequantizeLinear(q, ws, wz) {axis=0}; ";

}  // namespace

TEST_CASE("the target of OpenVINO does not contradict itself", "[quantize]") {
  CHECK(lint(targets::openvino_cpu));
  CHECK(targets::openvino_cpu.bias == BiasForm::float32);
}

TEST_CASE("OpenVINO fuses activations whatever the q-params", "[quantize]") {
  Net net(20);
  for (const char* const op : {"Relu", "LeakyRelu", "HardSwish", "Sigmoid", "Tanh", "Gelu", "Mish", "Elu", "PRelu"})
    CHECK(deferrable(*net.op(op, {net.x}, op).producer(), {0.1f, 77, DType::u8}, targets::openvino_cpu));
  for (const char* const op : {"HardSigmoid", "Softplus", "Softsign", "Selu", "Exp"})
    CHECK_FALSE(deferrable(*net.op(op, {net.x}, op).producer(), {0.1f, 77, DType::u8}, targets::openvino_cpu));
}

TEST_CASE("OpenVINO computes in float what its kernels do not take", "[quantize]") {
  const std::string y = "y = DequantizeLinear(QuantizeLinear(Conv(x, w), t, z), t, z)";
  CHECK(finding(qparams + y, "Conv").fused());
  const auto with = [&](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  const OperatorOutcome shifted = finding(with(qparams, "wz = i8[4] {0", "wz = i8[4] {3") + y, "Conv");
  CHECK_FALSE(shifted.fused());
  CHECK(shifted.severity == Severity::warning);
  CHECK(shifted.code == "zero_point");
  CHECK(finding(with(qparams, "{axis=0}", "{axis=1}") + y, "Conv").code == "axis");
}

TEST_CASE("OpenVINO's ConvTranspose needs one group and the zero point 0", "[quantize]") {
  const auto code = [](const std::string& zero, const std::string& group) {
    const std::string inputs = group == "1" ? "4" : "2";
    return finding("p: u8[1,4,8,8]; q = i8[4," + inputs + ",2,2] random; ws = f32[] 0.1; wz = i8[] 0; "
                   "x = DequantizeLinear(p, f32[] 0.1, u8[] " + zero + "); w = DequantizeLinear(q, ws, wz); "
                   "y = DequantizeLinear(QuantizeLinear(ConvTranspose(x, w) {group=" + group +
                   "}, f32[] 0.2, u8[] 128), f32[] 0.2, u8[] 128)", "ConvTranspose").code;
  };
  CHECK(code("0", "1").empty());
  CHECK(code("3", "1") == "input_zero_point");
  CHECK(code("0", "2") == "attribute");
}

TEST_CASE("OpenVINO multiplies two tensors in integers if both are symmetric", "[quantize]") {
  const auto code = [](const std::string& dtype, const std::string& zero, const std::string& left) {
    return finding("p: u8[1,4,8]; q: " + dtype + "[1,8,4]; x = DequantizeLinear(p, f32[] 0.1, u8[] " + left + "); "
                   "w = DequantizeLinear(q, f32[] 0.1, " + dtype + "[] " + zero + "); "
                   "y = DequantizeLinear(QuantizeLinear(MatMul(x, w), f32[] 0.2, u8[] 9), f32[] 0.2, u8[] 9)",
                   "MatMul").code;
  };
  CHECK(code("i8", "0", "0").empty());
  CHECK(code("u8", "128", "0").empty());
  for (const auto& [dtype, zero] : {std::pair{"u8", "0"}, std::pair{"i8", "5"}})
    CHECK(code(dtype, zero, "0") == "weight_not_constant");
  CHECK(code("i8", "0", "128") == "weight_not_constant");
}

TEST_CASE("OpenVINO's ConvTranspose is quantized where its input is never negative", "[quantize]") {
  const auto verdict = [](const std::string& x) {
    const Model model = graph("i: f32[1,4,8,8]; w = f32[4,4,2,2] random; y = ConvTranspose(" + x + ", w)");
    return quantizable(*model.graph().find("y")->producer(), targets::openvino_cpu);
  };
  CHECK(verdict("Relu(i)"));
  CHECK(verdict("DequantizeLinear(QuantizeLinear(i, f32[] 0.1, i8[] 0), f32[] 0.1, i8[] 0)"));
  CHECK(verdict("Neg(i)").reason().text == "the zero point of its input would not be 0");
}

TEST_CASE("OpenVINO's sums and products with a constant are left to the operator before them", "[quantize]") {
  const auto verdict = [](const std::string& y) {
    const Model model = graph("a: f32[2,4]; b: f32[2,4]; c = f32[4] random; y = " + y);
    return quantizable(*model.graph().find("y")->producer(), targets::openvino_cpu);
  };
  for (const std::string op : {"Add", "Mul"}) {
    CHECK(verdict(op + "(a, b)"));
    for (const char* const operands : {"(a, c)", "(c, a)"})
      CHECK(verdict(op + operands).reason().text == "the runtime merges its constant into the operator in front of it");
  }
}

TEST_CASE("x * Sigmoid(x) becomes one operator for OpenVINO, which vanishes into a Conv", "[quantize]") {
  Model model = graph("x: f32[1,4,8,8]; w = f32[4,4,1,1] random; c = Conv(x, w); y = Mul(c, Sigmoid(c))");
  prepare_model(targets::openvino_cpu).run(model);
  const Node& silu = *model.graph().find("y")->producer();
  REQUIRE(silu.is("com.microsoft::QuickGelu"));
  CHECK(deferrable(silu, {0.1f, 77, DType::u8}, targets::openvino_cpu));
}

TEST_CASE("a float result costs OpenVINO's kernels nothing", "[quantize]") {
  const OperatorOutcome found = finding(qparams + "y = Softplus(Conv(x, w))", "Conv");
  CHECK(found.fused());
  CHECK(found.float_result);
}

TEST_CASE("OpenVINO takes a DequantizeLinear behind what moves values", "[quantize]") {
  CHECK(finding(qparams + "y = Conv(Transpose(x) {perm=[0,1,3,2]}, w)", "Conv").fused());
  CHECK(finding(qparams + "y = Conv(MaxPool(x) {kernel_shape=[2,2]}, w)", "MaxPool").fused());
  CHECK(finding(qparams + "y = Conv(MaxPool(x) {kernel_shape=[2,2]}, w)", "Conv").fused());
  CHECK(finding(qparams + "y = Conv(Relu(x), w)", "Conv").code == "no_dq_input");
}

TEST_CASE("operands of a Concat take OpenVINO's quantizer behind it, and without it their own", "[quantize]") {
  const std::string both = qparams + "v = DequantizeLinear(QuantizeLinear(Abs(x), t, z), t, z); "
                                     "c = Concat(x, v) {axis=2}; ";
  const OperatorOutcome own = finding(both + "y = Conv(c, w)", "Conv");
  CHECK_FALSE(own.fused());
  CHECK(own.code == "joined_qparams");
  CHECK(finding(both + "y = Conv(c, w)", "Concat").fused());
  const std::string moved = qparams + "m = MaxPool(x) {kernel_shape=[1,1]}; c = Concat(m, Concat(x, m) {axis=2}) "
                                      "{axis=2}; ";
  CHECK(finding(moved + "y = Conv(c, w)", "Conv").fused());
  CHECK(finding(moved + "v = DequantizeLinear(p, t, z); y = Conv(Concat(c, v) {axis=2}, w)", "Conv").code ==
        "joined_qparams");
  CHECK(finding(moved + "y = Conv(Concat(c, Abs(x)) {axis=2}, w)", "Conv").code == "no_dq_input");
  const std::string behind = "y = DequantizeLinear(QuantizeLinear(Concat(x, Abs(x)) {axis=1}, t, z), t, z)";
  CHECK(finding(qparams + behind, "Concat").fused());
  CHECK_FALSE(finding(qparams + "y = Concat(x, Abs(x)) {axis=1}", "Concat").fused());
}

TEST_CASE("a second factor that is computed keeps OpenVINO's product in float", "[quantize]") {
  const OperatorOutcome found =
      finding(qparams + "y = DequantizeLinear(QuantizeLinear(MatMul(x, x), t, z), t, z)", "MatMul");
  CHECK_FALSE(found.fused());
  CHECK(found.code == "weight_not_constant");
}
