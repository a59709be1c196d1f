#include <catch2/catch.hpp>

#include <string>
#include <string_view>

#include <graft/qonnx/convert/quantized_operators_to_qdq.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Trial converted(const std::string& text) { return given(text).pass(qonnx::quantized_operators_to_qdq()); }

const std::string two = "a: u8[1,2,3,3]; b: u8[1,2,3,3]; ";

}  // namespace

TEST_CASE("a QLinearConv becomes a Conv between quantizers", "[qonnx]") {
  const std::string head = "x: u8[1,2,5,5]; w = i8[3,2,3,3] random; b = i32[3] {5, -6, 7}; ";
  const std::string per_channel = head + "y = QLinearConv(x, f32[] 0.5, u8[] 3, w, f32[3] {1, 2, 4}, i8[3] 0,"
                                         "f32[1] 8, u8[1] 9, b) {pads=[1,1,1,1]}";
  CHECK(converted(per_channel)
            .becomes(head + "y = QuantizeLinear(Conv(DequantizeLinear(x, f32[] 0.5, u8[] 3),"
                            "DequantizeLinear(w, f32[3] {1, 2, 4}, i8[3] 0) {axis=0},"
                            "DequantizeLinear(b, f32[3] {0.5, 1, 2}) {axis=0}) {pads=[1,1,1,1]}, f32[] 8, u8[] 9)"));
  CHECK(converted(per_channel).equivalent({.atol = 1}));
  CHECK(converted("opset 12; " + head + "y = QLinearConv(x, f32[] 0.5, u8[] 3, w, f32[] 2, i8[] 1, f32[] 8, u8[] 9, b)")
            .becomes("opset 12; " + head +
                     "y = QuantizeLinear(Conv(DequantizeLinear(x, f32[] 0.5, u8[] 3), DequantizeLinear(w, f32[] 2,"
                     "i8[] 1), DequantizeLinear(b, f32[] 1)), f32[] 8, u8[] 9)"));
}

TEST_CASE("a QLinearMatMul has scales for rows and columns", "[qonnx]") {
  const std::string head = "a: u8[2,3]; w = i8[3,4] random; ";
  CHECK(converted(head + "y = QLinearMatMul(a, f32[2] {1, 2}, u8[2] {3, 4}, w, f32[4] 2, i8[4] 0, f32[] 8, u8[] 9)")
            .becomes(head + "y = QuantizeLinear(MatMul(DequantizeLinear(a, f32[2] {1, 2}, u8[2] {3, 4}) {axis=0},"
                            "DequantizeLinear(w, f32[4] 2, i8[4] 0) {axis=1}), f32[] 8, u8[] 9)"));
}

TEST_CASE("operators of com.microsoft become those that they quantize, and the import goes", "[qonnx]") {
  const std::string da = "DequantizeLinear(a, f32[] 1, u8[] 2)", db = "DequantizeLinear(b, f32[] 3, u8[] 4)";
  for (const std::string op : {"Add", "Mul"}) {
    const std::string text = two + "y = com.microsoft::QLinear" + op +
                             "(a, f32[] 1, u8[] 2, b, f32[] 3, u8[] 4, f32[] 5, u8[] 6)";
    CHECK(converted(text).becomes(two + "y = QuantizeLinear(" + op + "(" + da + ", " + db + "), f32[] 5, u8[] 6)"));
    CHECK(converted(text).equivalent({.atol = 1}));
    Model model = graph(text);
    qonnx::quantized_operators_to_qdq().run(model);
    CHECK(model.opset("com.microsoft") == 0);
  }
  const std::string one = "a: u8[1,2,3,3]; ";
  const auto unary = [&](const std::string& op, const std::string& attributes, const std::string& expected = "") {
    return converted(one + "y = com.microsoft::QLinear" + op + "(a, f32[] 1, u8[] 2, f32[] 5, u8[] 6)" + attributes)
        .becomes(one + "y = QuantizeLinear(" + op + "(" + da + ")" + expected + ", f32[] 5, u8[] 6)");
  };
  CHECK(unary("GlobalAveragePool", "{channels_last=0}"));
  const std::string window = "kernel_shape=[2,2], ceil_mode=1}";
  CHECK(unary("AveragePool", "{channels_last=0, " + window, "{" + window));
  CHECK(unary("Sigmoid", ""));
  CHECK(unary("LeakyRelu", "{alpha=0.25}", "{alpha=0.25}"));
  CHECK(converted(two + "y = com.microsoft::QLinearConcat(f32[] 5, u8[] 6, a, f32[] 1, u8[] 2, b, f32[] 3, u8[] 4)"
                        "{axis=1}")
            .becomes(two + "y = QuantizeLinear(Concat(" + da + ", " + db + ") {axis=1}, f32[] 5, u8[] 6)"));
}

TEST_CASE("QGemm becomes Gemm, whose bias is at alpha times the scales", "[qonnx]") {
  const std::string head = "a: i8[2,3]; w = i8[4,3] random; b = i32[4] {1, 2, 3, 4}; ";
  const std::string gemm = "Gemm(DequantizeLinear(a, f32[] 2, i8[] 1), DequantizeLinear(w, f32[4] {1, 2, 3, 4},"
                           "i8[4] 0) {axis=0}, DequantizeLinear(b, f32[4] {1, 2, 3, 4}) {axis=0})"
                           "{alpha=0.5, transB=1}";
  const std::string qgemm = "y = com.microsoft::QGemm(a, f32[] 2, i8[] 1, w, f32[4] {1, 2, 3, 4}, i8[4] 0, b";
  CHECK(converted(head + qgemm + ", f32[] 5, i8[] 6) {alpha=0.5, transB=1}")
            .becomes(head + "y = QuantizeLinear(" + gemm + ", f32[] 5, i8[] 6)"));
  CHECK(converted(head + qgemm + ") {alpha=0.5, transB=1}").becomes(head + "y = " + gemm));
}

TEST_CASE("a tensor gets one DequantizeLinear for all that read it", "[qonnx]") {
  const std::string add = "com.microsoft::QLinearAdd(a, f32[] 1, u8[] 2, ";
  CHECK(converted(two + "q = " + add + "b, f32[] 3, u8[] 4, f32[] 5, u8[] 6); y = " + add +
                  "q, f32[] 5, u8[] 6, f32[] 7, u8[] 8); z = DequantizeLinear(q, f32[] 5, u8[] 6)")
            .becomes(two + "da = DequantizeLinear(a, f32[] 1, u8[] 2); db = DequantizeLinear(b, f32[] 3, u8[] 4);"
                           "q = QuantizeLinear(Add(da, db), f32[] 5, u8[] 6); z = DequantizeLinear(q, f32[] 5, u8[] 6);"
                           "y = QuantizeLinear(Add(da, z), f32[] 7, u8[] 8); return y, z"));
}

TEST_CASE("absent zero points are 0, of the dtype of what is read", "[qonnx]") {
  CHECK(converted("a: i8[2]; y = com.microsoft::QLinearAdd(a, f32[] 1, _, a, f32[] 1, _, f32[] 5)")
            .becomes("a: i8[2]; d = DequantizeLinear(a, f32[] 1); y = QuantizeLinear(Add(d, d), f32[] 5, i8[] 0)"));
  CHECK(converted("a: u8[2]; y = com.microsoft::QLinearAdd(a, f32[] 1, _, a, f32[] 1, _, f32[] 5)")
            .becomes("a: u8[2]; d = DequantizeLinear(a, f32[] 1); y = QuantizeLinear(Add(d, d), f32[] 5)"));
}

TEST_CASE("quantized_operators_to_qdq refuses", "[qonnx]") {
  const auto refuses = [](const std::string& text, std::string_view reason) {
    return converted(text).refuses(reason);
  };
  const std::string head = "x: u8[1,2,5,5]; w = i8[3,2,3,3] 1; s: f32[]; ";
  CHECK(refuses("opset 12; " + head + "y = QLinearConv(x, f32[] 1, u8[] 3, w, f32[3] 1, i8[3] 0, f32[] 8, u8[] 9)",
                "opset 13"));
  CHECK(refuses(head + "y = QLinearConv(x, s, u8[] 3, w, f32[3] 1, i8[3] 0, f32[] 8, u8[] 9)", "not constant"));
  CHECK(refuses(head + "y = QLinearConv(x, f32[] 1, u8[] 3, w, f32[3] 1, i8[] 0, f32[] 8, u8[] 9)", "zero points"));
  CHECK(refuses(head + "y = QLinearConv(x, f32[] 1, u8[] 3, w, f32[3] 1, i8[3] 0, s, u8[] 9)", "result"));
  CHECK(refuses(head + "y = com.microsoft::QLinearGlobalAveragePool(x, f32[] 1, u8[] 3, f32[] 2, u8[] 1)"
                       "{channels_last=1}",
                "last axis"));
  CHECK(refuses(head + "y = com.microsoft::QLinearSoftmax(x, f32[] 1, u8[] 3, f32[] 2, u8[] 1) {opset=13}",
                "no conversion"));
  for (const std::string bias : {"i32[1] 1", "i32[] 1"})
    CHECK(refuses("a: i8[2,3]; w = i8[4,3] random; b = " + bias + "; y = com.microsoft::QGemm(a, f32[] 2, i8[] 1, w,"
                  "f32[4] {1, 2, 3, 4}, i8[4] 0, b, f32[] 5, i8[] 6) {transB=1}",
                  "bias"));
}
