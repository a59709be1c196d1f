#include <catch2/catch.hpp>

#include <string>
#include <string_view>

#include <graft/qonnx/convert/format.hpp>
#include <graft/qonnx/convert/qdq_to_integer_operators.hpp>
#include <graft/qonnx/convert/qdq_to_quant.hpp>
#include <graft/qonnx/convert/qdq_to_quantized_operators.hpp>
#include <graft/qonnx/convert/quant_to_qdq.hpp>
#include <graft/qonnx/convert/quantized_operators_to_qdq.hpp>
#include <graft/qonnx/ops/kernels.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Given qdq(const std::string& text) { return given("x: u8[1,2,5,5]; " + text); }

/// A Conv of uint8 with int8 weights per channel, and what is between it and its result.
std::string conv(std::string_view between, std::string_view zero_point, std::string_view bias = "",
                 std::string_view tail = "") {
  const std::string front(between.substr(0, between.find('_'))), back(between.substr(between.find('_') + 1));
  return "w = i8[3,2,3,3] random; s = f32[3] {0.5, 0.25, 1};"
         "c = Conv(DequantizeLinear(x, f32[] 0.5, u8[] 3), DequantizeLinear(w, s, i8[3] 0) {axis=0}" +
         std::string(bias) + ") {pads=[1,1,1,1]}; q = QuantizeLinear(" + front + "c" + back + ", f32[] 8, " +
         std::string(zero_point) + "); " + std::string(tail.empty() ? "return q" : tail);
}

std::string qlinear_conv(std::string_view zero_point, std::string_view bias = "", std::string_view tail = "return q",
                         std::string_view name = "q") {
  return "x: u8[1,2,5,5]; w = i8[3,2,3,3] random; s = f32[3] {0.5, 0.25, 1};" + std::string(name) +
         " = QLinearConv(x, f32[] 0.5, u8[] 3, w, s, i8[3] 0, f32[] 8, " + std::string(zero_point) +
         std::string(bias) + ") {pads=[1,1,1,1]}; " + std::string(tail);
}

Trial converted(const std::string& text) { return qdq(text).pass(qonnx::qdq_to_quantized_operators()); }

}  // namespace

TEST_CASE("a Conv between quantizers becomes a QLinearConv", "[qonnx]") {
  const std::string text = conv("_", "u8[] 100");
  CHECK(converted(text).becomes(qlinear_conv("u8[] 100")));
  CHECK(converted(text).equivalent({.atol = 1}));
}

TEST_CASE("Relu and Clip become bounds of integers", "[qonnx]") {
  CHECK(converted(conv("Relu(_)", "u8[] 0")).becomes(qlinear_conv("u8[] 0")));
  const std::string relu = conv("Relu(_)", "u8[] 7");
  CHECK(converted(relu).becomes(qlinear_conv("u8[] 7", "", "q = Clip(h, u8[] 7)", "h")));
  CHECK(converted(relu).equivalent({.atol = 1}));
  // 20 / 8 lies on a tie, which goes to 2; below -7 * 8 there is no integer.
  const std::string clip = conv("Clip(Relu(_), f32[] -90, f32[] 20)", "u8[] 7");
  CHECK(converted(clip).becomes(qlinear_conv("u8[] 7", "", "q = Clip(h, u8[] 7, u8[] 9)", "h")));
  CHECK(converted(clip).equivalent({.atol = 1}));
  CHECK(converted(conv("Relu(Clip(_, f32[] -90, f32[] -20))", "u8[] 7"))  // all is 0
            .becomes(qlinear_conv("u8[] 7", "", "bound = u8[] 7; q = Clip(h, bound, bound)", "h")));
  CHECK(converted(conv("Clip(_, f32[] -90)", "u8[] 7")).becomes(qlinear_conv("u8[] 7")));
}

TEST_CASE("a Clip of integers stays behind the new operator, and serves Relu where it can", "[qonnx]") {
  const std::string four_bits = "q4 = Clip(q, u8[] 7, u8[] 15); y = DequantizeLinear(q4, f32[] 8, u8[] 7)";
  CHECK(converted(conv("Relu(_)", "u8[] 7", "", four_bits)).becomes(qlinear_conv("u8[] 7", "", four_bits)));
  const std::string wider = "q4 = Clip(q, u8[] 6, u8[] 15); y = DequantizeLinear(q4, f32[] 8, u8[] 7)";
  CHECK(converted(conv("Relu(_)", "u8[] 7", "", wider))
            .becomes(qlinear_conv("u8[] 7", "", "q = Clip(h, u8[] 7); " + wider, "h")));
}

TEST_CASE("a bias at the product of the scales stays, others are rounded to it", "[qonnx]") {
  const std::string at_product = ", DequantizeLinear(b, f32[3] {0.25, 0.125, 0.5}) {axis=0}";
  CHECK(converted("b = i32[3] {5, -6, 7}; " + conv("_", "u8[] 100", at_product))
            .becomes("b = i32[3] {5, -6, 7}; " + qlinear_conv("u8[] 100", ", b")));
  CHECK(converted(conv("_", "u8[] 100", ", f32[3] {1.25, -0.8, 0.6}"))
            .becomes(qlinear_conv("u8[] 100", ", i32[3] {5, -6, 1}")));
  CHECK(converted("b = i32[3] {5, -6, 8}; " + conv("_", "u8[] 100", ", DequantizeLinear(b, f32[] 0.25)"))
            .becomes(qlinear_conv("u8[] 100", ", i32[3] {5, -12, 4}")));
}

TEST_CASE("a bias is rounded by 1/64 of a step of the result at most, and that is noted", "[qonnx]") {
  const auto product = [](std::string_view op, std::string_view x, std::string_view w, std::string_view bias) {
    return "x: u8" + std::string(x) + "; w = i8" + std::string(w) + " 1; y = QuantizeLinear(" + std::string(op) +
           "(DequantizeLinear(x, f32[] 1), DequantizeLinear(w, f32[] 1), f32[1] " + std::string(bias) +
           "), f32[] 8)";
  };
  const auto conv_with = [&](std::string_view bias) { return product("Conv", "[1,1,2,2]", "[1,1,1,1]", bias); };
  const auto notes = [](const std::string& text) {
    Model model = graph(text);
    const Report report = qonnx::qdq_to_quantized_operators().run(model);
    CHECK(report.changes == 1);
    return report.notes;
  };
  CHECK(notes(conv_with("12345")).empty());
  CHECK(notes(conv_with("1234567.1")).empty());  // is 1234567.125 in float32: not told from its own rounding
  CHECK_THAT(notes(conv_with("3.125")).at(0), Catch::Contains("by up to 0.015625 of a step"));
  const auto refuses = [](const std::string& text) {
    return given(text).pass(qonnx::qdq_to_quantized_operators()).refuses("its bias 3.4375 is not a multiple of 1, the");
  };
  CHECK(refuses(conv_with("3.4375")));
  CHECK(refuses(product("Gemm", "[1,2]", "[2,1]", "3.4375")));
}

TEST_CASE("MatMul becomes QLinearMatMul, Gemm QGemm", "[qonnx]") {
  const auto becomes = [](const std::string& text, const std::string& expected) {
    const std::string head = "a: i8[N,3]; w = i8[3,2] random; v = i8[2,3] random; ";
    return given(head + text).pass(qonnx::qdq_to_quantized_operators()).becomes(head + expected);
  };
  CHECK(becomes("y = QuantizeLinear(MatMul(DequantizeLinear(a, f32[1] 0.5, i8[1] 3),"
                "DequantizeLinear(w, f32[2] {1, 2}) {axis=1}), f32[] 8, i8[] 1)",
                "y = QLinearMatMul(a, f32[] 0.5, i8[] 3, w, f32[2] {1, 2}, i8[2] 0, f32[] 8, i8[] 1)"));
  CHECK(becomes("y = QuantizeLinear(Relu(Gemm(DequantizeLinear(a, f32[] 0.5), DequantizeLinear(v, f32[2] {1, 2})"
                "{axis=0}, f32[2] {3, 4}) {transB=1}), f32[] 8, i8[] -128)",
                "y = com.microsoft::QGemm(a, f32[] 0.5, i8[] 0, v, f32[2] {1, 2}, i8[2] 0, i32[2] {6, 4}, f32[] 8,"
                "i8[] -128) {transB=1}"));
  CHECK(becomes("y = QuantizeLinear(Gemm(DequantizeLinear(a, f32[] 0.5), DequantizeLinear(w, f32[] 1), f32[1,1] 3),"
                "f32[] 8, i8[] 1)",
                "z = i8[] 0; y = com.microsoft::QGemm(a, f32[] 0.5, z, w, f32[] 1, z, i32[2] 6, f32[] 8, i8[] 1)"));
}

TEST_CASE("constant integers of 4 bits are widened", "[qonnx]") {
  const std::string head = "opset 21; q: u8[1,2]; s = f32[] 1; x = DequantizeLinear(q, s, u8[] 2); ";
  const std::string product = "y = QuantizeLinear(MatMul(x, DequantizeLinear(w, s, z)), f32[] 4)";
  CHECK(given(head + "w = i4[2,2] {-8, 7, 1, 0}; z = i4[] 1; " + product)
            .pass(qonnx::qdq_to_quantized_operators())
            .becomes("opset 21; q: u8[1,2]; s = f32[] 1; y = QLinearMatMul(q, s, u8[] 2, i8[2,2] {-8, 7, 1, 0}, s,"
                     "i8[] 1, f32[] 4, u8[] 0)"));
  CHECK(given(head + "w = u4[2,2] {15, 7, 1, 0}; y = MatMul(x, DequantizeLinear(w, s))")
            .pass(qonnx::qdq_to_integer_operators())
            .becomes("opset 21; q: u8[1,2]; m = MatMulInteger(q, u8[2,2] {15, 7, 1, 0}, u8[] 2, u8[] 0);"
                     "y = Mul(Cast(m) {to=f32}, f32[] 1)"));
}

TEST_CASE("a ConvTranspose says why it stays", "[qonnx]") {
  const std::string text = "q: u8[1,1,2,2]; w = i8[1,1,1,1] 3; y = QuantizeLinear(ConvTranspose(DequantizeLinear(q,"
                           "f32[] 1), DequantizeLinear(w, f32[] 1)), f32[] 1)";
  CHECK(given(text).pass(qonnx::qdq_to_quantized_operators()).refuses("no ConvTranspose of quantized"));
  CHECK(given(text).pass(qonnx::qdq_to_integer_operators()).refuses("no ConvTranspose of integers"));
}

TEST_CASE("qdq_to_quantized_operators says what is not quantized", "[qonnx]") {
  const auto refuses = [](const std::string& text, std::string_view reason) {
    return given("x: f32[1,2]; q: u8[1,2]; w = i8[2,2] 3; f = f32[2,2] 3;" + text)
        .pass(qonnx::qdq_to_quantized_operators())
        .refuses(reason);
  };
  const std::string dq = "DequantizeLinear(q, f32[] 1, u8[] 0)", dw = "DequantizeLinear(w, f32[] 1)";
  CHECK(refuses("y = QuantizeLinear(MatMul(x, " + dw + "), f32[] 1)", "only its weight is quantized"));
  CHECK(refuses("y = QuantizeLinear(MatMul(" + dq + ", f), f32[] 1)", "only its input is quantized"));
  CHECK(refuses("y = MatMul(" + dq + ", " + dw + ")", "high precision"));
  CHECK(refuses("y = Sigmoid(MatMul(" + dq + ", " + dw + "))", "high precision: Sigmoid reads it"));
  CHECK(refuses("y = QuantizeLinear(MatMul(x, f), f32[] 1)", "neither"));
  CHECK(refuses("m = MatMul(" + dq + ", " + dw + "); y = QuantizeLinear(m, f32[] 1); z = Neg(m)", "in floats too"));
  CHECK(refuses("y = QuantizeLinear(Sigmoid(MatMul(" + dq + ", " + dw + ")), f32[] 1)", "high precision"));
}

TEST_CASE("qdq_to_quantized_operators says what the operators cannot represent", "[qonnx]") {
  const auto refuses = [](const std::string& text, std::string_view reason) {
    return given(text).pass(qonnx::qdq_to_quantized_operators()).refuses(reason);
  };
  CHECK(
      refuses("opset 21; q: u4[1,2]; w = i8[2,2] 3; y = QuantizeLinear(MatMul(DequantizeLinear(q, f32[] 1),"
              "DequantizeLinear(w, f32[] 1)), f32[] 1)",
              "its input has 4 bits"));
  CHECK(refuses("opset 21; q: u8[1,2]; w = i8[2,2] 3; y = QuantizeLinear(MatMul(DequantizeLinear(q, f32[] 1),"
                "DequantizeLinear(w, f32[] 1)), f32[] 1, u16[] 0)",
                "result has 16 bits"));
  const auto product = [](std::string_view x, std::string_view w, std::string_view y) {
    return "q: " + std::string(x) + "[1,2]; w = " + std::string(w) +
           "[2,2] 3; y = QuantizeLinear(MatMul(DequantizeLinear(q, f32[] 1), DequantizeLinear(w, f32[] 1)), f32[] 1, " +
           std::string(y) + "[] 0)";
  };
  CHECK(refuses(product("u8", "i8", "i8"), "kernel"));
  CHECK(refuses(product("i8", "u8", "i8"), "kernel"));
  const std::string scales = "q: u8[1,2]; w = i8[2,3] 3; y = QuantizeLinear(MatMul(DequantizeLinear(q, f32[] 1),";
  CHECK(refuses(scales + "DequantizeLinear(w, f32[2] 1) {axis=0}), f32[] 1)", "output channels"));
  CHECK(refuses(scales + "DequantizeLinear(w, f32[] 1)), f32[3] 1) {axis=1}", "several"));
  CHECK(refuses("q: u8[1,2]; w = i8[2,3] 3; y = QuantizeLinear(MatMul(DequantizeLinear(q, f32[2] 1) {axis=1},"
                "DequantizeLinear(w, f32[] 1)), f32[] 1)",
                "several scales"));
  CHECK(refuses("s: f32[]; q: u8[1,2]; w = i8[2,3] 3; y = QuantizeLinear(MatMul(DequantizeLinear(q, s),"
                "DequantizeLinear(w, f32[] 1)), f32[] 1)",
                "not constant"));
  CHECK(refuses("q: u8[1,2]; w = i8[2,70000] 127; y = QuantizeLinear(Gemm(DequantizeLinear(q, f32[] 1),"
                "DequantizeLinear(w, f32[] 1), f32[70000] 3e9), f32[] 1)",
                "does not fit"));
  CHECK(refuses("q: u8[1,70000]; w = i8[70000,2] 127; y = QuantizeLinear(MatMul(DequantizeLinear(q, f32[] 1),"
                "DequantizeLinear(w, f32[] 1)), f32[] 1)",
                "overflow"));
  CHECK(refuses("q: u8[1,1,3,3]; w = i8[2,1,1,1] 3; y = QuantizeLinear(Conv(DequantizeLinear(q, f32[] 1),"
                "DequantizeLinear(w, f32[2] 1, i8[2] {0, 1}) {axis=0}), f32[] 1)",
                "one zero point"));
  CHECK(refuses("q: u8[1,1,3,3]; w = i8[2,1,1,1] 3; b: f32[2]; y = QuantizeLinear(Conv(DequantizeLinear(q, f32[] 1),"
                "DequantizeLinear(w, f32[] 1), b), f32[] 1)",
                "bias"));
  CHECK(refuses("q: u8[1,2]; w = i8[2,3] 3; y = QuantizeLinear(Gemm(DequantizeLinear(q, f32[] 1),"
                "DequantizeLinear(w, f32[] 1)) {alpha=0.5}, f32[] 1)",
                "alpha"));
  CHECK(refuses("opset 10; q: u8[1,2]; w = i8[2,3] 3; y = QuantizeLinear(Relu(MatMul(DequantizeLinear(q, f32[] 1),"
                "DequantizeLinear(w, f32[] 1))), f32[] 1, u8[] 4)",
                "opset 12"));
}

TEST_CASE("products in bodies are converted, with constants of outer scopes and of Constant", "[qonnx]") {
  const std::string head = "c: bool[]; q: u8[1,2]; w = i8[2,3] 3; s = Constant() {value=f32[] 2}; ";
  const std::string product = "QuantizeLinear(MatMul(DequantizeLinear(q, s), DequantizeLinear(w, s)), ",
                    quantized = "QLinearMatMul(q, s, z, w, s, i8[] 0, ";
  CHECK(given(head + "y = If(c) {then_branch={ t = " + product + "f32[] 5) }, else_branch={ u = " + product +
              "f32[] 6) }}")
            .pass(qonnx::qdq_to_quantized_operators())
            .becomes(head + "y = If(c) {then_branch={ z = u8[] 0; t = " + quantized +
                     "f32[] 5, z) }, else_branch={ z = u8[] 0; u = " + quantized + "f32[] 6, z) }}"));
}

TEST_CASE("a product whose result is quantized in a body stays", "[qonnx]") {
  CHECK(given("c: bool[]; q: u8[1,2]; w = i8[2,3] 3; m = MatMul(DequantizeLinear(q, f32[] 1), DequantizeLinear(w,"
              "f32[] 1)); y = If(c) {then_branch={ t = QuantizeLinear(m, f32[] 5) }, else_branch={ u = u8[1,3] 5;"
              "return u }}")
            .pass(qonnx::qdq_to_quantized_operators())
            .refuses("another scope"));
}

TEST_CASE("QDQ comes back from quantized operators with its integers and q-params", "[qonnx]") {
  const std::string with_bias =
      "b = i32[3] {5, -6, 7}; " + conv("_", "u8[] 100", ", DequantizeLinear(b, f32[3] {0.25, 0.125, 0.5}) {axis=0}",
                                       "y = DequantizeLinear(q, f32[] 8, u8[] 100)");
  const Pass there_and_back = qonnx::qdq_to_quantized_operators() | qonnx::quantized_operators_to_qdq();
  CHECK(qdq(with_bias).pass(there_and_back).becomes("x: u8[1,2,5,5]; " + with_bias));
  CHECK(qdq(conv("Relu(_)", "u8[] 7", "", "y = DequantizeLinear(Clip(q, u8[] 7), f32[] 8, u8[] 7)"))
            .pass(there_and_back)
            .becomes("x: u8[1,2,5,5]; " +
                     conv("_", "u8[] 7", "", "y = DequantizeLinear(Clip(q, u8[] 7), f32[] 8, u8[] 7)")));
}

TEST_CASE("a net of Quant goes through QCDQ to quantized operators, and comes back", "[qonnx]") {
  const auto quant = [](const std::string& x, std::string_view scale, int bits, bool is_signed) {
    return "qonnx.custom_op.general::Quant(" + x + ", f32" + std::string(scale) + ", f32[] 0, f32[] " +
           std::to_string(bits) + ") {signed=" + (is_signed ? "1" : "0") + ", narrow=0, rounding_mode=\"ROUND\"}";
  };
  const std::string weight = "w = f32[3,2,3,3] random(-4, 3, 1); ",
                    x = quant("x", "[] 0.125", 8, false), w = quant("w", "[3,1,1,1] {0.5, 0.25, 1}", 4, true);
  const std::string text = "x: f32[1,2,5,5]; " + weight + "y = " +
                           quant("Relu(Conv(" + x + ", " + w + ") {pads=[1,1,1,1]})", "[] 2", 4, false);
  Model model = graph(text);
  CHECK(qonnx::format_of(model.graph()) == qonnx::Format::qonnx);
  (qonnx::quant_to_qcdq() | qonnx::qdq_to_quantized_operators()).run(model);
  CHECK(qonnx::format_of(model.graph()) == qonnx::Format::clipped_quantized_operators);
  (qonnx::quantized_operators_to_qdq() | qonnx::qdq_to_quant()).run(model);
  CHECK(qonnx::format_of(model.graph()) == qonnx::Format::qonnx);
  const Model before = graph(text);
  CHECK(equivalent(before.graph(), model.graph(), {.atol = 0, .rtol = 0, .kernels = &qonnx::kernels()}));
  CHECK(given(text)
            .pass(qonnx::quant_to_qcdq() | qonnx::qdq_to_quantized_operators())
            .equivalent({.atol = 2, .kernels = &qonnx::kernels()}));
}
